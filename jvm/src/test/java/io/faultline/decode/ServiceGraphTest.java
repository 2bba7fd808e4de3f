package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceGraphTest {
  private static final long MS = 1767225660000L;
  private static final long NANOS = MS * 1_000_000L;
  private static final String TOTAL = "traces_service_graph_request_total";
  private static final String FAILED = "traces_service_graph_request_failed_total";

  private final Decoder decoder = new OtlpDecoder(IdentityConfig.DEFAULT, "shop");

  private static Proto call(String client, String server, String failed, long value, long start) {
    Proto point = new Proto().attribute(7, "client", client).attribute(7, "server", server);
    if (failed != null) {
      Proto flag = new Proto().varint(2, failed.equals("true") ? 1 : 0);
      point.message(7, new Proto().text(1, "failed").message(2, flag));
    }
    point.attribute(7, "connection_type", "");
    return point.fixed(2, start * 1_000_000L).fixed(3, NANOS).fixed(6, value);
  }

  private static Proto counter(String name, Proto... points) {
    Proto data = new Proto();
    for (Proto point : points) {
      data.message(1, point);
    }
    return new Proto().text(1, name).message(7, data.varint(2, 2).varint(3, 1));
  }

  private static Proto latency(String name, String unit) {
    Proto point =
        new Proto()
            .attribute(9, "client", "web")
            .attribute(9, "server", "cart")
            .fixed(3, NANOS)
            .fixed(4, 3)
            .real(5, 1.5)
            .packed(6, 1L, 2L)
            .packed(7, 0.5);
    Proto metric = new Proto().text(1, name);
    if (unit != null) {
      metric.text(3, unit);
    }
    return metric.message(9, new Proto().message(1, point).varint(2, 2));
  }

  private Collected decode(Proto... metrics) {
    return Collected.of(decoder, Proto.payload(new Proto(), metrics));
  }

  @Test
  void failedAndOtherCallsAreSeriesOfOneCall() {
    Collected out =
        decode(
            counter(
                TOTAL,
                call("web", "cart", "false", 300, MS - 9),
                call("web", "cart", "true", 30, MS - 5)));
    assertEquals(List.of(new Edge("shop", "web", "cart", MS, "call", -1L)), out.calls);
    assertEquals(List.of(), out.edges);
    assertEquals(List.of(300.0, 30.0), out.samples.stream().map(s -> s.value()).toList());
    Collected.Sample failed = out.samples.get(1);
    assertEquals("cart", failed.node());
    assertEquals("web", failed.key().peer());
    assertEquals("true", failed.key().label("failed"));
    assertEquals(Signal.TRAFFIC, failed.key().signal());
    assertEquals(Kind.COUNTER, failed.key().kind());
    assertEquals(MS - 5, failed.start());
  }

  @Test
  void failedCallsOfAMetricOfTheirOwnAreErrors() {
    Collected out =
        decode(
            counter(TOTAL, call("web", "cart", "false", 118, 0), call("web", "cart", "true", 2, 0)),
            counter(FAILED, call("web", "cart", "true", 2, 0)));
    assertEquals(3, out.samples.size());
    assertEquals(2.0, out.sample(FAILED).value());
    assertEquals(Signal.ERRORS, out.sample(FAILED).key().signal());
    assertEquals(1, out.calls.size());
    Collected withoutSplit = decode(counter(FAILED, call("web", "cart", null, 1, 0)));
    assertEquals(out.sample(FAILED).key(), withoutSplit.sample(FAILED).key());
  }

  @Test
  void latencyKeepsSideUnitAndPeer() {
    Collected current = decode(latency("traces_service_graph_request_server", "ms"));
    Collected.Sample sum = current.sample("traces_service_graph_request_server_sum");
    assertEquals("ms", sum.key().unit());
    assertEquals(Side.SERVER, sum.key().side());
    assertEquals(Signal.LATENCY, sum.key().signal());
    assertEquals("web", sum.key().peer());
    assertEquals("cart", sum.node());
    assertEquals(4, current.samples.size());
    Collected legacy = decode(latency("traces_service_graph_request_client_seconds", null));
    Collected.Sample client = legacy.sample("traces_service_graph_request_client_seconds_sum");
    assertEquals("s", client.key().unit());
    assertEquals(Side.CLIENT, client.key().side());
    Collected unsaid = decode(latency("traces_service_graph_request_client", null));
    assertNull(unsaid.sample("traces_service_graph_request_client_sum").key().unit());
    assertEquals(1, current.calls.size());
  }

  @Test
  void unnamedCallersKeepTheSeriesButGiveNoEdge() {
    Collected out = decode(counter(TOTAL, call("user", "cart", "false", 5, 0)));
    assertTrue(out.calls.isEmpty());
    assertEquals(List.of("unnamed_node"), out.ignored);
    assertNull(out.sample(TOTAL).key().peer());
    assertEquals("user", out.sample(TOTAL).key().label("client"));
    Collected callee = decode(counter(TOTAL, call("cart", "unknown", "false", 5, 0)));
    assertTrue(callee.samples.isEmpty() && callee.calls.isEmpty());
    Collected self = decode(counter(TOTAL, call("cart", "cart", "false", 5, 0)));
    assertEquals(List.of("self_edge"), self.ignored);
    assertTrue(self.calls.isEmpty());
  }
}
