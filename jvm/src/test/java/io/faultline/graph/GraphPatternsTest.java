package io.faultline.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import io.faultline.records.NodeFrame;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Patterns over the matches and edges of a graph. */
class GraphPatternsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String GOLDEN = "golden/graph_state_v4.bin";

  /** An error at the callee, then slowness at one that calls it. */
  private static final String UPSTREAM =
      pattern(
          "upstream",
          "60000",
          step("bad", equal("pattern", "'errors'")),
          step(
              "slow",
              "{'op':'and','args':[%s,{'op':'call','name':'calls','args':[{'field':'node'},%s]}]}"
                  .formatted(equal("pattern", "'latency'"), first("bad"))));

  /** The same with others in between. */
  private static final String FAR =
      UPSTREAM.replace("'calls'", "'reaches'").replace("'upstream'", "'far'");

  private static final String EDGE =
      pattern("new-edge", "60000", step("edge", equal("kind", "'edge'")), step("bad", errors()));

  private static final String SILENT =
      pattern(
          "silent",
          "60000",
          step(
              "gone",
              "{'op':'and','args':[%s,%s]}"
                  .formatted(
                      equal("kind", "'silent'"),
                      "{'op':'==','left':{'field':'value'},'right':{'const':3}}")));

  private GraphState state = new GraphState("shop");
  private final List<String> lines = new ArrayList<>();
  private GraphAssembler assembler;

  private static String pattern(String id, String within, String... steps) {
    return "{'id':'%s','version':1,'key':'graph','within_ms':%s,'steps':[%s]}"
        .formatted(id, within, String.join(",", steps));
  }

  private static String step(String name, String where) {
    return "{'name':'%s','where':%s}".formatted(name, where);
  }

  private static String equal(String field, String text) {
    return "{'op':'==','left':{'field':'%s'},'right':{'const':%s}}".formatted(field, text);
  }

  private static String errors() {
    return equal("pattern", "'errors'");
  }

  private static String first(String step) {
    return "{'agg':'first','step':'%s','field':'node'}".formatted(step);
  }

  private void patterns(String... patterns) {
    List<String> texts = new ArrayList<>();
    for (String pattern : patterns) {
      texts.add(pattern.replace('\'', '"'));
    }
    assembler =
        new GraphAssembler(
            new GraphConfig(10_000, Map.of(), 10, 30_000, 100, texts, 1000, true, 100, Map.of()));
    assertEquals(List.of(), assembler.patterns().refused());
  }

  private final GraphOutput out =
      new GraphOutput() {
        @Override
        public void frame(long time, byte[] row) {}

        @Override
        public void match(long time, byte[] json) {
          JsonNode match = tree(json);
          if (match.get("key").asText().equals("graph")) {
            List<String> took = new ArrayList<>();
            for (JsonNode step : match.get("steps")) {
              for (JsonNode e : step.get("samples")) {
                took.add(e.get("node").asText() + '@' + e.get("time").asLong());
              }
            }
            lines.add(
                "%s %s %s %s %d"
                    .formatted(
                        match.get("kind").asText(),
                        match.get("pattern").asText(),
                        match.get("node").asText(),
                        took,
                        time));
          }
        }

        @Override
        public void add(String reason) {}
      };

  private static JsonNode tree(byte[] json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private GraphPatternsTest edge(String source, String target, long time) {
    Edge edge = new Edge("shop", source, target, time, null, -1);
    assembler.add(state, GraphEvent.of(edge), Long.MIN_VALUE, out);
    return this;
  }

  private GraphPatternsTest match(String pattern, String node, long time) {
    String json =
        """
        {"graph":"shop","node":"%s","peer":null,"series":null,"pattern":"%s","version":1,
        "key":"series","severity":"warning","kind":"match","time":%d,"start":%d,"end":%d,
        "steps":[{"name":"s","samples":[{"time":%d,"value":5,"z":7.5,"metric":"m",
        "signal":"errors","baseline":1,"unit":"1","peer":null}]}],"runbook":null}\
        """
            .formatted(node, pattern, time, time, time, time);
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    assembler.add(state, GraphEvent.ofMatch("shop", time, bytes), Long.MIN_VALUE, out);
    return this;
  }

  /** Frames of the tick that ends at this time: a node with a minus in front has no value. */
  private void tick(long time, String... nodes) {
    for (String node : nodes) {
      float[] signals = new float[FrameRow.NODE_FLOATS];
      signals[2] = node.startsWith("-") ? 0 : 1;
      String name = node.replace("-", "");
      NodeFrame frame =
          new NodeFrame("shop", name, 10_000, time, signals, new String[0], new float[0]);
      assembler.add(state, GraphEvent.of(frame), Long.MIN_VALUE, out);
    }
    assembler.advance(state, time - 1, false, out);
  }

  /** So many ticks in which all three nodes are there, the last of which ends at this time. */
  private void present(long until, int ticks) {
    for (int i = ticks - 1; i >= 0; i--) {
      tick(until - i * 10_000L, "cart", "db", "web");
    }
  }

  private List<String> end() {
    assembler.advance(state, Long.MAX_VALUE, true, out);
    return lines;
  }

  @Test
  void aCallerThatIsSlowAfterItsCalleeHasErrors() {
    patterns(UPSTREAM);
    edge("web", "cart", 500).edge("cart", "db", 500);
    match("errors", "cart", 1000).match("latency", "db", 2000).match("latency", "web", 3000);
    assertEquals(List.of("match upstream web [cart@1000, web@3000] 3000"), end());
  }

  @Test
  void reachesLooksThroughNodesInBetween() {
    patterns(UPSTREAM, FAR);
    edge("web", "cart", 500).edge("cart", "db", 500).edge("db", "cart", 500);
    match("errors", "db", 1000).match("latency", "web", 3000);
    assertEquals(
        List.of("match far web [db@1000, web@3000] 3000", "timeout upstream db [db@1000] 61000"),
        end());
  }

  @Test
  void anEdgeCountsWhileItLives() {
    patterns(UPSTREAM);
    edge("web", "cart", 500);
    match("errors", "cart", 1000).match("latency", "web", 31_000);
    assertEquals(List.of("timeout upstream cart [cart@1000] 61000"), end());
  }

  @Test
  void anEdgeThatAppearsIsSeenOnce() {
    patterns(EDGE);
    edge("web", "cart", 500).edge("web", "cart", 600).match("errors", "cart", 1000);
    assertEquals(List.of("match new-edge cart [cart@500, cart@1000] 1000"), end());
  }

  @Test
  void matchesComeInOrderOfTimeHoweverTheyArrive() {
    patterns(UPSTREAM);
    match("latency", "web", 3000).match("errors", "cart", 1000).edge("web", "cart", 500);
    assertEquals(List.of("match upstream web [cart@1000, web@3000] 3000"), end());
  }

  @Test
  void aMatchOfAGraphPatternFeedsNoOther() {
    patterns(pattern("any", "60000", step("a", "null"), step("b", "null")));
    match("errors", "cart", 1000).match("latency", "web", 2000);
    assertTrue(end().contains("match any web [cart@1000, web@2000] 2000"), lines.toString());
    assertEquals(2, lines.size(), lines.toString());
  }

  private static byte[] bytes(GraphState state) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    GraphStateSerializer.INSTANCE.serialize(state, out);
    return out.getCopyOfBuffer();
  }

  @Test
  void aNodeFallsSilentWhileOthersGoOn() {
    patterns(SILENT);
    present(200_000, 20);
    tick(210_000, "cart", "web");
    tick(220_000, "cart", "web", "-db");
    assertEquals(List.of(), lines);
    tick(230_000, "cart", "web");
    for (long time = 240_000; time < 500_000; time += 10_000) {
      tick(time, "cart", "web");
    }
    assertEquals(List.of("match silent db [db@230000] 230000"), lines);
  }

  @Test
  void whereAllFallSilentNobodyIsMissed() {
    patterns(SILENT);
    present(200_000, 20);
    tick(600_000, "cart");
    tick(610_000, "cart");
    tick(620_000, "cart");
    tick(630_000, "cart");
    assertEquals(List.of(), lines, "most are away: it is the monitoring");
    present(800_000, 10);
    tick(810_000, "cart", "web");
    tick(820_000, "cart", "web");
    assertEquals(List.of(), end());
  }

  @Test
  void aNodeThatComesNowAndThenIsNotMissedBetween() {
    patterns(SILENT);
    for (int i = 1; i <= 80; i++) {
      if (i % 4 == 0) {
        tick(i * 10_000L, "cart", "db", "web");
      } else {
        tick(i * 10_000L, "cart", "web");
      }
    }
    assertEquals(List.of(), lines);
    for (int i = 81; i <= 100; i++) {
      tick(i * 10_000L, "cart", "web");
    }
    assertEquals(List.of("match silent db [db@920000] 920000"), lines);
  }

  @Test
  void aNodeThatIsHardlyKnownIsNotMissed() {
    patterns(SILENT);
    present(90_000, 5);
    for (int i = 10; i <= 40; i++) {
      tick(i * 10_000L, "cart", "web");
    }
    assertEquals(List.of(), end());
  }

  @Test
  void habitsOutliveARestart() throws Exception {
    patterns(SILENT);
    present(200_000, 20);
    tick(210_000, "cart", "web");
    state = GraphStateSerializer.INSTANCE.deserialize(new DataInputDeserializer(bytes(state)));
    state = GraphStateSerializer.INSTANCE.copy(state);
    tick(220_000, "cart", "web");
    tick(230_000, "cart", "web");
    assertEquals(List.of("match silent db [db@230000] 230000"), lines);
  }

  @Test
  void anEdgeThatIsLateByAMillisecondComesAfterTheTick() {
    patterns(SILENT, EDGE);
    present(200_000, 20);
    tick(210_000, "cart", "web");
    tick(220_000, "cart", "web");
    tick(230_000, "cart", "web");
    Edge late = new Edge("shop", "web", "cart", 100_000, null, 500_000);
    assembler.add(state, GraphEvent.of(late), 229_999, out);
    match("errors", "cart", 230_000);
    assertEquals(
        List.of(
            "match silent db [db@230000] 230000",
            "match new-edge cart [cart@230000, cart@230000] 230000"),
        end());
  }

  private void half() {
    patterns(UPSTREAM, EDGE);
    present(20_000, 2);
    edge("web", "cart", 20_500).match("errors", "cart", 21_000);
    assembler.advance(state, 21_500, false, out);
  }

  @Test
  void partialMatchesOfReleaseFourAreRead() throws Exception {
    half();
    if (Boolean.getBoolean("faultline.golden.write")) {
      Files.write(Path.of("src/test/resources", GOLDEN), bytes(state));
    }
    byte[] golden;
    try (InputStream in = getClass().getClassLoader().getResourceAsStream(GOLDEN)) {
      golden = in.readAllBytes();
    }
    assertArrayEquals(golden, bytes(state), "the form has changed");
    state = GraphStateSerializer.INSTANCE.deserialize(new DataInputDeserializer(golden));
    lines.clear();
    match("latency", "web", 23_000);
    assertTrue(
        end().contains("match upstream web [cart@21000, web@23000] 23000"), lines.toString());
  }

  @Test
  void stateOfReleaseThreeKnowsNoPresence() throws Exception {
    patterns(UPSTREAM, EDGE);
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream("/golden/graph_state_v3.bin")) {
      golden = in.readAllBytes();
    }
    state = GraphStateSerializer.INSTANCE.deserialize(new DataInputDeserializer(golden));
    match("latency", "web", 3000);
    assertTrue(end().contains("match upstream web [cart@1000, web@3000] 3000"), lines.toString());
  }

  @Test
  void stateOfReleaseTwoHasNoCountOfMatches() throws Exception {
    patterns(UPSTREAM, EDGE);
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream("/golden/graph_state_v2.bin")) {
      golden = in.readAllBytes();
    }
    state = GraphStateSerializer.INSTANCE.deserialize(new DataInputDeserializer(golden));
    assertEquals(GraphState.NEVER, state.matchTick);
    match("latency", "web", 3000);
    assertTrue(end().contains("match upstream web [cart@1000, web@3000] 3000"), lines.toString());
  }

  @Test
  void stateOfReleaseOneHasNoPartialMatches() throws Exception {
    GraphState old = new GraphState("shop");
    byte[] now = bytes(old);
    byte[] before = new byte[now.length - 5 - Long.BYTES - 2 * Integer.BYTES];
    System.arraycopy(now, 0, before, 0, before.length);
    before[0] = 1;
    GraphState read = GraphStateSerializer.INSTANCE.deserialize(new DataInputDeserializer(before));
    assertTrue(read.runs.isEmpty());
  }
}
