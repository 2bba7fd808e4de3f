package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import io.faultline.decode.BlockSplitter;
import io.faultline.decode.Decoder;
import io.faultline.decode.Decoders;
import io.faultline.decode.RawRecord;
import io.faultline.graph.FrameRow;
import io.faultline.graph.GraphConfig;
import io.faultline.graph.GraphRun;
import io.faultline.node.NodeConfig;
import io.faultline.node.NodeProcessor;
import io.faultline.node.NodeState;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads that tell of calls, all the way to the rows that the model sees. */
class TopologyFramesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long T0 = 1_767_225_600_000L;
  private static final long TICK = 30_000;
  private static final int TRAFFIC = 3;
  private static final int ERRORS = 4;

  /** Everything that payloads decode to, through the job's own operators without Flink. */
  private static final class Chain implements Decoder.Output {
    private final NodeConfig nodes =
        new NodeConfig(TICK, Map.of(), 10, List.of(), List.of(), false, NodeConfig.Limits.DEFAULT);
    private final NodeProcessor processor = new NodeProcessor(nodes);
    private final GraphRun run =
        new GraphRun(new GraphConfig(TICK, Map.of(), 10, 3_600_000, 1_000), "shop");
    private final BlockSplitter splitter = new BlockSplitter();
    private final List<Block> blocks = new ArrayList<>();

    Chain(String format, List<String> payloads) {
      Decoder decoder = Decoders.create(format, IdentityConfig.DEFAULT, "shop");
      for (String payload : payloads) {
        decoder.decode(new RawRecord("t", 0, 0, T0, null, payload.getBytes()), this);
        splitter.flush(blocks::add);
      }
    }

    List<FrameRow> rows() throws Exception {
      Map<String, NodeState> states = new TreeMap<>();
      for (Block block : blocks) {
        processor.buffer(
            states.computeIfAbsent(block.node(), node -> new NodeState("shop", node)), block);
      }
      states.values().forEach(state -> processor.advance(state, Long.MAX_VALUE, run));
      run.end();
      List<FrameRow> rows = new ArrayList<>();
      for (byte[] row : run.rows()) {
        rows.add(FrameRow.decode(row));
      }
      return rows;
    }

    @Override
    public void sample(
        String graph, String node, long time, SeriesKey key, double value, long start) {
      splitter.add(graph, node, time, key, value, start);
    }

    @Override
    public void edge(Edge edge) {
      run.edge(edge);
    }

    @Override
    public void call(Edge edge) {
      // The node tells of it.
    }

    @Override
    public void deadLetter(String reason, String detail) {
      throw new AssertionError(reason + ": " + detail);
    }

    @Override
    public void ignored(String reason) {
      run.add(reason);
    }
  }

  private static String prometheus(String name, long second, double value, String... labels)
      throws Exception {
    ObjectNode json = JSON.createObjectNode().put("name", name);
    json.put("timestamp", java.time.Instant.ofEpochMilli(T0 + second * 1_000).toString());
    json.put("value", Double.toString(value));
    ObjectNode all = json.putObject("labels").put("__name__", name);
    for (int i = 0; i < labels.length; i += 2) {
      all.put(labels[i], labels[i + 1]);
    }
    return JSON.writeValueAsString(json);
  }

  private static String istio(String reporter, String to, String code, long second, double value)
      throws Exception {
    return prometheus(
        "istio_requests_total",
        second,
        value,
        "reporter",
        reporter,
        "source_workload",
        "frontend",
        "destination_workload",
        to,
        "response_code",
        code);
  }

  private static Map<String, Integer> edges(FrameRow row) {
    Map<String, Integer> edges = new TreeMap<>();
    for (int e = 0; e < row.edges().length / 2; e++) {
      String source = row.nodes()[row.edges()[2 * e]];
      edges.put(source + ">" + row.nodes()[row.edges()[2 * e + 1]], e);
    }
    return edges;
  }

  private static float[] features(FrameRow row, String edge, int kind) {
    int at = edges(row).get(edge) * FrameRow.EDGE_FLOATS + kind * NodeFrame.EDGE_FEATURES;
    return java.util.Arrays.copyOfRange(row.edgeFrames(), at, at + NodeFrame.EDGE_FEATURES);
  }

  /** Calls of one minute; in the last ticks a fifth of them fail. */
  private static List<String> calls() throws Exception {
    List<String> payloads = new ArrayList<>();
    for (int t = 0; t <= 600; t += 15) {
      double failed = t > 570 ? (t - 570) * 2 : 0;
      for (String reporter : List.of("source", "destination")) {
        payloads.add(istio(reporter, "cart", "200", t, 10 * t - failed));
        payloads.add(istio(reporter, "cart", "503", t, failed));
      }
      payloads.add(istio("source", "bank", "200", t, 5 * t));
    }
    return payloads;
  }

  @Test
  void aMeshGivesEdgesWithTrafficAndErrors() throws Exception {
    List<FrameRow> rows = new Chain("prometheus", calls()).rows();
    FrameRow last = rows.get(rows.size() - 1);
    assertEquals(List.of("frontend>bank", "frontend>cart"), List.copyOf(edges(last).keySet()));
    assertEquals(1f, features(last, "frontend>cart", TRAFFIC)[2]);
    assertEquals(0f, features(last, "frontend>cart", TRAFFIC)[0], 1e-6f, "as many calls as ever");
    assertTrue(features(last, "frontend>cart", ERRORS)[0] >= 8, "errors stand out");
    assertEquals(1f, features(last, "frontend>bank", TRAFFIC)[2], "only its caller counts");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void theOrderOfPayloadsDoesNotMatter(int seed) throws Exception {
    List<FrameRow> expected = new Chain("prometheus", calls()).rows();
    List<String> shuffled = calls();
    Collections.shuffle(shuffled, new Random(seed));
    List<FrameRow> actual = new Chain("prometheus", shuffled).rows();
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(
          java.util.HexFormat.of().formatHex(expected.get(i).encode()),
          java.util.HexFormat.of().formatHex(actual.get(i).encode()));
    }
  }

  private static String otlp(
      String caller, String callee, boolean failed, long second, long value) {
    return """
    {"attributes":[{"key":"client","value":{"stringValue":"%s"}},\
    {"key":"server","value":{"stringValue":"%s"}},\
    {"key":"failed","value":{"boolValue":%s}}],\
    "startTimeUnixNano":"%d","timeUnixNano":"%d","asInt":"%d"}\
    """
        .formatted(
            caller, callee, failed, T0 * 1_000_000, (T0 + second * 1_000) * 1_000_000, value);
  }

  private static String metric(String... points) {
    return String.format(
        Locale.ROOT,
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":"
            + "\"traces_service_graph_request_total\",\"sum\":{\"aggregationTemporality\":2,"
            + "\"isMonotonic\":true,\"dataPoints\":[%s]}}]}]}]}",
        String.join(",", points));
  }

  /** Whoever has no instruments is called user, and joins nothing. */
  @Test
  void userJoinsNoServices() throws Exception {
    List<String> payloads = new ArrayList<>();
    for (int t = 15; t <= 300; t += 15) {
      payloads.add(
          metric(
              otlp("user", "frontend", false, t, 10 * t),
              otlp("user", "reports", false, t, t),
              otlp("frontend", "orders", false, t, 5 * t),
              otlp("frontend", "orders", true, t, t / 15)));
    }
    List<FrameRow> rows = new Chain("otlp_json", payloads).rows();
    FrameRow last = rows.get(rows.size() - 1);
    assertEquals(List.of("frontend>orders"), List.copyOf(edges(last).keySet()));
    assertEquals(List.of("frontend", "orders", "reports"), List.of(last.nodes()));
    assertEquals(1f, features(last, "frontend>orders", TRAFFIC)[2]);
    assertEquals(1f, features(last, "frontend>orders", ERRORS)[2]);
  }

  @Test
  void aDependencyGraphGivesEdgesToNodesThatSaySomething() throws Exception {
    Chain chain =
        new Chain(
            "jaeger_dependencies",
            List.of(
                "{\"data\":[{\"parent\":\"web\",\"child\":\"cart\",\"callCount\":3},"
                    + "{\"parent\":\"cart\",\"child\":\"cart\",\"callCount\":3}]}"));
    chain.sample("shop", "cart", T0 + 1, SeriesKey.of("cpu"), 1, 0);
    chain.splitter.flush(chain.blocks::add);
    FrameRow row = chain.rows().get(0);
    assertEquals(List.of("web>cart"), List.copyOf(edges(row).keySet()));
    assertEquals(List.of("cart", "web"), List.of(row.nodes()));
  }
}
