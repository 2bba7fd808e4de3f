package io.faultline.graph;

import static io.faultline.graph.Events.T0;
import static io.faultline.graph.Events.TICK;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class GraphAssemblerTest {
  private final GraphAssembler assembler = new GraphAssembler(Events.CONFIG);
  private GraphState state = new GraphState("shop");
  private final Rows out = new Rows();
  private long watermark = Long.MIN_VALUE;

  /** Rows and matches in the order in which they came. */
  private static final class Rows implements GraphOutput {
    final List<FrameRow> rows = new ArrayList<>();
    final List<String> all = new ArrayList<>();
    final List<String> reasons = new ArrayList<>();

    @Override
    public void frame(long time, byte[] row) {
      try {
        rows.add(FrameRow.decode(row));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      all.add("frame " + (time - T0) / TICK);
    }

    @Override
    public void match(long time, byte[] json) {
      all.add("match " + new String(json, java.nio.charset.StandardCharsets.UTF_8));
    }

    @Override
    public void add(String reason) {
      reasons.add(reason);
    }

    FrameRow last() {
      return rows.get(rows.size() - 1);
    }
  }

  private void add(GraphEvent... events) {
    for (GraphEvent event : events) {
      assembler.add(state, event, watermark, out);
    }
  }

  private void advance(long time, boolean ended) throws IOException {
    DataOutputSerializer bytes = new DataOutputSerializer(256);
    GraphStateSerializer.INSTANCE.serialize(state.copy(), bytes);
    state =
        GraphStateSerializer.INSTANCE.deserialize(
            new DataInputDeserializer(bytes.getCopyOfBuffer()));
    watermark = time;
    assembler.advance(state, time, ended, out);
  }

  private void end() throws IOException {
    advance(Long.MAX_VALUE, true);
  }

  @Test
  void aTickIsPackedWhenItsLastMillisecondHasPassed() throws IOException {
    add(Events.framed("cart", 1), Events.framed("web", 1));
    advance(T0 + TICK - 2, false);
    assertEquals(List.of(), out.all);
    advance(T0 + TICK - 1, false);
    assertEquals(List.of("frame 1"), out.all);
    assertArrayEquals(new String[] {"cart", "web"}, out.last().nodes());
    assertEquals(77, Arrays.stream(toDoubles(out.last().frames())).filter(v -> v == 1).count() / 2);
  }

  private static double[] toDoubles(float[] values) {
    double[] out = new double[values.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = values[i];
    }
    return out;
  }

  /** As case snapshot-dead-service: who fell silent stays in, with its age. */
  @Test
  void aSilentNodeStaysWithItsAge() throws IOException {
    for (int tick = 1; tick <= 40; tick++) {
      add(Events.framed("web", tick));
      if (tick <= 30) {
        add(Events.framed("checkout", tick));
      }
    }
    end();
    FrameRow row = out.last();
    assertArrayEquals(new String[] {"checkout", "web"}, row.nodes());
    assertArrayEquals(new byte[] {FrameRow.SILENT, FrameRow.FRAMED}, row.presence());
    assertArrayEquals(new int[] {10, 0}, row.age());
    assertEquals(0, row.frames()[0]);
  }

  /** Case snapshot-dirty-edges. */
  @Test
  void dirtyEdgesLeaveACleanGraph() throws IOException {
    add(
        Events.edge("frontend", "cart", 0, 3_600_000),
        Events.edge("cart", "payment", 0, 3_600_000),
        Events.edge("cart", "cart", 0, 3_600_000),
        Events.edge("cart", "redis", 0, 3_600_000),
        Events.edge("frontend", "legacy", 0, 60_000),
        Events.edge("ghost-1", "ghost-2", 0, 3_600_000),
        Events.edge("frontend", "cart", 60_000, 3_600_000),
        Events.edge("frontend", "cart", 60_000, 3_600_000),
        Events.edge("payment", "bank", 20 * TICK, 3_600_000));
    for (int tick = 1; tick <= 20; tick++) {
      add(
          Events.framed("frontend", tick),
          Events.framed("cart", tick),
          Events.framed("payment", tick));
    }
    end();
    FrameRow row = out.last();
    assertArrayEquals(
        new String[] {"cart", "frontend", "ghost-1", "ghost-2", "payment", "redis"}, row.nodes());
    assertArrayEquals(new int[] {0, 4, 0, 5, 1, 0, 2, 3}, row.edges());
    assertArrayEquals(new byte[] {1, 1, 0, 0, 1, 0}, row.presence());
    assertArrayEquals(new int[] {0, 0, -1, -1, 0, -1}, row.age());
    assertEquals(2, row.topologyVersion());
    assertEquals(List.of("self_edge"), out.reasons);
  }

  @Test
  void aSeriesOfAnEdgeFillsTheEdgeAndIsNoSighting() throws IOException {
    add(GraphEvent.of(Events.frame("cart", 1, 5, "app", "web", "quiet")), Events.framed("web", 1));
    add(GraphEvent.of(new Edge("shop", "app", "cart", T0 + 1, null, -1)));
    add(GraphEvent.of(new Edge("shop", "web", "cart", T0 + 1, null, -1)));
    end();
    FrameRow row = out.last();
    assertArrayEquals(new String[] {"app", "cart", "web"}, row.nodes());
    assertArrayEquals(new int[] {0, 1, 2, 1}, row.edges());
    assertEquals(5, row.edgeFrames()[0]);
    assertEquals(5 + 15, row.edgeFrames()[15]);
    assertEquals(5 + 29, row.edgeFrames()[29]);
  }

  @Test
  void aGraphThatFellSilentHasAWindowOfEmptyTicksAndSleeps() throws IOException {
    add(Events.framed("cart", 1));
    advance(T0 + 5 * TICK - 1, false);
    assertEquals(List.of("frame 1", "frame 2", "frame 3", "frame 4", "frame 5"), out.all);
    assertArrayEquals(new byte[] {FrameRow.SILENT}, out.last().presence());
    assertArrayEquals(new int[] {4}, out.last().age());
    advance(T0 + 2_000_000L * TICK, false);
    assertEquals(11, out.rows.size());
    assertEquals(Long.MAX_VALUE, assembler.nextTimer(state, false));
    add(Events.framed("cart", 2_000_002));
    advance(T0 + 2_000_002L * TICK, false);
    assertEquals("frame 2000002", out.all.get(11));
    assertArrayEquals(new int[] {0}, out.last().age());
  }

  @Test
  void afterTheEndOfInputThereIsNoSilence() throws IOException {
    add(Events.framed("cart", 1), Events.framed("cart", 3));
    end();
    assertEquals(List.of("frame 1", "frame 2", "frame 3"), out.all);
    assertEquals(Long.MAX_VALUE, assembler.nextTimer(state, true));
  }

  @Test
  void nodesAreForgottenAfterADay() throws IOException {
    int day = (int) (GraphAssembler.FORGET_AFTER_MS / TICK);
    add(Events.framed("old", 1), Events.framed("cart", day + 1), Events.framed("cart", day + 2));
    end();
    assertEquals(2, out.rows.get(out.rows.size() - 2).nodes().length);
    assertArrayEquals(new String[] {"cart"}, out.last().nodes());
  }

  @Test
  void matchesAndTicksComeInOrderOfTime() throws IOException {
    add(Events.match(TICK, "c"), Events.framed("cart", 1), Events.match(TICK - 1, "b"));
    add(Events.match(3, "a"));
    advance(T0 + 2, false);
    assertEquals(List.of(), out.all);
    end();
    assertEquals(List.of("match a", "match b", "frame 1", "match c"), out.all);
  }

  @Test
  void aFrameOfAPackedTickIsLateAndANodeTooManyIsRefused() throws IOException {
    add(Events.framed("cart", 2));
    advance(T0 + 2 * TICK, false);
    add(Events.framed("web", 2));
    for (int n = 0; n < 99; n++) {
      add(Events.framed("n" + n, 3));
    }
    add(Events.framed("one too many in this tick", 3), Events.framed("n0", 4));
    state = GraphStateSerializer.INSTANCE.copy(state);
    advance(T0 + 3 * TICK, false);
    add(Events.framed("one too many", 4), Events.framed("n1", 4));
    assertEquals(List.of("late_frames", "node_refused", "node_refused"), out.reasons);
    assertEquals(100, out.last().nodes().length);
  }

  @Test
  void aStormOfMatchesIsCutWithinItsTickWhateverItsOrder() throws IOException {
    GraphAssembler few = new GraphAssembler(Events.few(3));
    for (String match : List.of("d", "a", "c", "b")) {
      few.add(state, Events.match(5, match), watermark, out);
    }
    few.add(state, Events.match(9, "e"), watermark, out);
    few.advance(state, T0 + 5, false, out);
    state = GraphStateSerializer.INSTANCE.copy(state);
    few.add(state, Events.match(TICK - 1, "f"), watermark, out);
    few.add(state, Events.match(TICK, "g"), watermark, out);
    few.advance(state, T0 + 2 * TICK, false, out);
    assertEquals(List.of("match a", "match b", "match c", "match g"), out.all);
    assertEquals(List.of("match_refused", "match_refused", "match_refused"), out.reasons);
  }

  @Test
  void edgesAloneGiveNoRowsAndDoNotPileUp() throws IOException {
    for (int i = 0; i < 1000; i++) {
      advance(T0 + i, false);
      add(GraphEvent.of(new Edge("shop", "a", "b", T0 + i, null, -1)));
    }
    assertEquals(List.of(), out.all);
    DataOutputSerializer bytes = new DataOutputSerializer(256);
    state.topology.write(bytes);
    assertEquals(true, bytes.length() < 200, "bytes: " + bytes.length());
  }
}
