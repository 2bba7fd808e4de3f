package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.faultline.config.Attribute;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallsTest {
  private final Calls calls = new Calls(IdentityConfig.DEFAULT);

  private Call call(String metric, String... labels) {
    return call(calls, metric, null, labels);
  }

  private static Call call(Calls calls, String metric, String unit, String... labels) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      all.put(labels[i], labels[i + 1]);
    }
    CallMetric known = CallMetric.of(metric);
    assertNotNull(known, metric);
    return calls.of(known, unit, all);
  }

  @ParameterizedTest
  @CsvSource({
    "traces_service_graph_request_server,,,LATENCY,SERVER",
    "traces_service_graph_request_server,ms,ms,LATENCY,SERVER",
    "traces.service.graph.request.client,s,s,LATENCY,CLIENT",
    "traces_service_graph_request_server_seconds,,s,LATENCY,SERVER",
    "traces_service_graph_request_server_seconds,ms,ms,LATENCY,SERVER",
    "traces_service_graph_request_client_seconds_bucket,,s,LATENCY,CLIENT",
    "traces_service_graph_request_client_milliseconds_sum,,ms,LATENCY,CLIENT",
    "traces_service_graph_request_client_seconds_count,,1,TRAFFIC,CLIENT",
    "traces_service_graph_request_messaging_system_seconds_sum,,s,LATENCY,UNSAID",
    "traces_service_graph_request_total,,,TRAFFIC,UNSAID",
    "traces.service.graph.request.failed.total,1,1,ERRORS,UNSAID",
  })
  void bothGenerationsOfTheServiceGraph(
      String metric, String declared, String unit, Signal signal, Side side) {
    Call call = call(calls, metric, declared, "client", "web", "server", "cart", "le", "1");
    assertEquals("cart", call.node());
    assertEquals("web", call.caller());
    assertEquals(unit, call.unit());
    assertEquals(signal, call.signal());
    assertEquals(side, call.side());
    Map<String, String> labels = new HashMap<>(call.labels());
    assertEquals(signal == Signal.ERRORS ? "true" : null, labels.remove("failed"));
    assertEquals(Map.of("le", "1"), labels);
    assertNull(call.reason());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "traces_service_graph_unpaired_spans_total",
        "traces_service_graph_request_total_bucket",
        "istio_build",
        "http_requests_total",
        "route_response_total"
      })
  void otherMetricsDescribeNoCalls(String metric) {
    assertNull(CallMetric.of(metric));
  }

  @Test
  void theKindOfConnectionAndTheOutcomeStayAsLabels() {
    Call call =
        call(
            "traces_service_graph_request_total",
            "client",
            "orders",
            "server",
            "mailer",
            "connection_type",
            "messaging_system",
            "failed",
            "true");
    assertEquals(Map.of("connection_type", "messaging_system", "failed", "true"), call.labels());
    Collected out = new Collected();
    call.tell("shop", 5L, out);
    assertEquals("messaging", out.calls.get(0).kind());
    SeriesKey key = call.series("traces_service_graph_request_total", Kind.UNSAID);
    assertEquals(Kind.COUNTER, key.kind());
    assertEquals("orders", key.peer());
    assertEquals(Kind.DELTA, call.series("x", Kind.DELTA).kind());
  }

  @ParameterizedTest
  @CsvSource({
    "user,cart,cart,unnamed_node",
    "'',cart,cart,unnamed_node",
    ",cart,cart,unnamed_node",
    "web,unknown,,unnamed_node",
    "cart,cart,cart,self_edge",
  })
  void whoIsNoNodeIsNoCaller(String client, String server, String node, String reason) {
    Call call =
        client == null
            ? call("traces_service_graph_request_total", "server", server)
            : call("traces_service_graph_request_total", "client", client, "server", server);
    assertEquals(node, call.node());
    assertEquals(reason, call.reason());
    Collected out = new Collected();
    call.tell("shop", 5L, out);
    assertEquals(List.of(reason), out.ignored);
    assertEquals(List.of(), out.calls);
    if (node != null) {
      assertNull(call.caller());
    }
  }

  private static String[] istio(String... more) {
    String[] labels = {
      "reporter", "source",
      "source_workload", "frontend",
      "destination_workload", "cart-v1",
      "destination_canonical_service", "cart",
      "destination_service_name", "cart",
      "response_code", "200",
      "response_flags", "-",
      "request_protocol", "http"
    };
    String[] all = java.util.Arrays.copyOf(labels, labels.length + more.length);
    System.arraycopy(more, 0, all, labels.length, more.length);
    return all;
  }

  @Test
  void istioTellsWhoReported() {
    Call client = call("istio_requests_total", istio());
    assertEquals(Side.CLIENT, client.side());
    assertEquals("frontend", client.caller());
    assertEquals("cart-v1", client.node());
    assertEquals("false", client.labels().get("failed"));
    assertFalse(client.labels().containsKey("reporter"));
    Call server = call("istio_requests_total", istio("reporter", "destination"));
    assertEquals(Side.SERVER, server.side());
    assertEquals(client.labels(), server.labels());
  }

  @ParameterizedTest
  @CsvSource({
    "200,-,,false",
    "404,-,,false",
    "503,UO,,true",
    "500,-,,true",
    "200,'-',14,true",
    "200,'-',5,false",
    "0,DC,,false",
    "0,'UC,URX',,true",
    "200,URX,0,true",
  })
  void istioFailures(String code, String flags, String grpc, String failed) {
    Call call =
        call(
            "istio_requests_total",
            istio(
                "response_code", code,
                "response_flags", flags,
                "grpc_response_status", grpc == null ? "" : grpc));
    assertEquals(failed, call.labels().get("failed"));
  }

  @ParameterizedTest
  @CsvSource({
    "o-services,unknown,PassthroughCluster,o-services",
    "unknown,unknown,PassthroughCluster,",
    "unknown,unknown,BlackHoleCluster,",
    "unknown,unknown,api.example.com,api.example.com",
    "unknown,cart,cart,cart",
    "unknown,unknown,cart.shop.svc.cluster.local,cart",
  })
  void istioCalleesOfManyNames(String workload, String canonical, String service, String node) {
    Call call =
        call(
            "istio_requests_total",
            istio(
                "destination_workload", workload,
                "destination_canonical_service", canonical,
                "destination_service_name", service));
    assertEquals(node, call.node());
    assertEquals(node == null ? "unnamed_node" : null, call.reason());
  }

  @Test
  void aConfiguredLabelOfTheCalleeComesFirst() {
    IdentityConfig identity =
        new IdentityConfig(
            null,
            List.of(label("job"), label("destination_canonical_service")),
            List.of(label("source_app")));
    Call call =
        call(
            new Calls(identity),
            "istio_requests_total",
            null,
            istio("source_app", "web", "job", "pods"));
    assertEquals("cart", call.node());
    assertEquals("web", call.caller());
    assertEquals("cart-v1", call.labels().get("destination_workload"));
  }

  private static Attribute label(String name) {
    return new Attribute(null, null, name, null);
  }

  @Test
  void istioLatencyAndConnections() {
    Call bucket = call("istio_request_duration_milliseconds_bucket", istio("le", "5"));
    assertEquals(Signal.LATENCY, bucket.signal());
    assertEquals("ms", bucket.unit());
    assertNull(bucket.labels().get("failed"));
    Call tcp = call("istio_tcp_connections_opened_total", istio("request_protocol", "tcp"));
    assertEquals("tcp", tcp.labels().get("connection_type"));
    assertEquals(Signal.TRAFFIC, tcp.signal());
    Call bytes = call("istio_tcp_sent_bytes_total", istio("request_protocol", "tcp"));
    assertEquals(Signal.NETWORK, bytes.signal());
    assertFalse(CallMetric.of("istio_tcp_sent_bytes_total").counts());
  }

  @Test
  void linkerdOutboundIsAnEdgeAndInboundIsTheNodesOwn() {
    Call out =
        call(
            "response_total",
            "direction",
            "outbound",
            "deployment",
            "frontend",
            "dst_deployment",
            "checkout",
            "dst_service",
            "checkout-svc",
            "classification",
            "failure");
    assertEquals("checkout", out.node());
    assertEquals("frontend", out.caller());
    assertEquals(Side.CLIENT, out.side());
    assertEquals("true", out.labels().get("failed"));
    Call in =
        call(
            "response_total",
            "direction",
            "inbound",
            "deployment",
            "checkout",
            "client_id",
            "default.shop.serviceaccount.identity.linkerd.cluster.local",
            "classification",
            "success");
    assertEquals("checkout", in.node());
    assertNull(in.caller());
    assertNull(in.reason());
    assertEquals(Side.SERVER, in.side());
    assertEquals("false", in.labels().get("failed"));
    Call nowhere = call("request_total", "direction", "outbound", "deployment", "frontend");
    assertEquals("unnamed_node", nowhere.reason());
    assertNull(call("request_total", "direction", "north", "deployment", "frontend"));
    assertNull(call("request_total", "handler", "/"));
  }

  @Test
  void linkerdConnectionsCountAtTheFarEndOnly() {
    String[] far = {
      "direction", "outbound", "peer", "dst", "deployment", "web", "dst_statefulset", "db"
    };
    Call call = call("tcp_open_total", far);
    assertEquals("db", call.node());
    assertEquals(Map.of("connection_type", "tcp"), call.labels());
    far[3] = "src";
    assertNull(call("tcp_open_total", far));
  }
}
