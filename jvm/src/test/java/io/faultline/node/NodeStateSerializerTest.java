package io.faultline.node;

import static io.faultline.node.Given.T0;
import static io.faultline.node.Given.TICK;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.faultline.records.Block;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class NodeStateSerializerTest {
  private static final NodeStateSerializer SERIALIZER = NodeStateSerializer.INSTANCE;
  private static final String GOLDEN = "/golden/node_state_v3.bin";

  private final NodeProcessor processor = new NodeProcessor(Given.config());

  /** A state with a gauge, a counter of two instances, a histogram, an edge and a waiting block. */
  private NodeState full() {
    NodeState state = Given.state();
    Recorded out = new Recorded();
    Layout layout =
        Layout.of(
            Given.gauge("cpu", Signal.CPU, "%"),
            Given.counter("requests"),
            Given.counter("rpc_count"),
            Given.counter("rpc_sum"),
            bucket("0.5"),
            bucket("+Inf"),
            Given.edge("latency", "web", Side.CLIENT, Signal.LATENCY, "ms"),
            Given.edge("latency", "web", Side.SERVER, Signal.LATENCY, "ms"));
    for (int t = 0; t < 40; t++) {
      double cpu = t > 37 ? 95 : 50 + t % 5;
      double[] values = {cpu, 7 * t, 10 * t, 3 * t, 5 * t, 10 * t, 30 + t % 3, 20};
      long[] starts = {0, T0 - (t % 2 == 0 ? 10_000 : 20_000), 0, 0, 0, 0, 0, 0};
      Block block = new Block("shop", "cart", T0 + t * TICK, layout, values, starts);
      processor.step(state, block, out);
    }
    processor.buffer(state, Given.block(T0 + 41 * TICK, SeriesKey.of("later"), 1));
    state.timer = T0 + 40 * TICK - 1;
    return state;
  }

  /** The same, and calls of two edges, counted by both ends and in several series. */
  private NodeState withCalls() {
    NodeState state = full();
    Layout layout =
        Layout.of(
            calls("web", Side.SERVER, "false"),
            calls("web", Side.SERVER, "true"),
            calls("web", Side.CLIENT, "false"),
            calls("app", Side.CLIENT, "true"));
    for (int t = 0; t < 4; t++) {
      double[] values = {10 * t, t, 11 * t, 5 + t};
      long time = T0 + 39 * TICK + t * 1_000 + 1;
      processor.step(state, Given.block(time, layout, values), new Recorded());
    }
    return state;
  }

  private static SeriesKey calls(String peer, Side side, String failed) {
    String labels = SeriesKey.canonical(Map.of("failed", failed, "instance", "a"));
    return new SeriesKey("calls_total", labels, peer, side, Kind.COUNTER, Signal.TRAFFIC, "1");
  }

  private static SeriesKey bucket(String le) {
    SeriesKey key = Given.counter("rpc_bucket");
    String labels = SeriesKey.canonical(Map.of("le", le));
    return new SeriesKey(key.metric(), labels, null, key.side(), key.kind(), null, null);
  }

  private static byte[] bytes(NodeState state) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(1024);
    SERIALIZER.serialize(state, out);
    return out.getCopyOfBuffer();
  }

  private static NodeState read(byte[] bytes) throws IOException {
    return SERIALIZER.deserialize(new DataInputDeserializer(bytes));
  }

  @Test
  void whatIsReadIsWrittenAgain() throws IOException {
    byte[] bytes = bytes(withCalls());
    assertArrayEquals(bytes, bytes(read(bytes)));
  }

  @Test
  void aCopySharesNothing() throws IOException {
    NodeState state = withCalls();
    byte[] before = bytes(state);
    NodeState copy = SERIALIZER.copy(state);
    assertNotSame(state, copy);
    processor.advance(state, Long.MAX_VALUE, new Recorded());
    assertArrayEquals(before, bytes(copy));
    assertEquals(false, SERIALIZER.isImmutableType());
  }

  /** State of every released version stays readable; -Dgolden.write=true writes it anew. */
  @Test
  void theStateOfThisVersionIsRead() throws IOException {
    if (Boolean.getBoolean("golden.write")) {
      Files.write(Path.of("src/test/resources" + GOLDEN), bytes(withCalls()));
    }
    byte[] golden = golden(GOLDEN);
    assertArrayEquals(golden, bytes(withCalls()), "the form has changed: raise the version");
    Recorded expected = new Recorded();
    Recorded actual = new Recorded();
    processor.advance(withCalls(), Long.MAX_VALUE, expected);
    processor.advance(read(golden), Long.MAX_VALUE, actual);
    assertEquals(2, actual.frames.size());
    assertArrayEquals(expected.frames.get(0).peers(), actual.frames.get(0).peers());
    assertArrayEquals(expected.frames.get(0).signals(), actual.frames.get(0).signals());
    assertArrayEquals(expected.frames.get(0).edges(), actual.frames.get(0).edges());
  }

  /** The same series but for two instances of a counter that started 1 ms apart. */
  @Test
  void theStateOfVersionOneGoesOn() throws IOException {
    NodeState state = read(golden("/golden/node_state_v1.bin"));
    Recorded out = new Recorded();
    Layout layout = Layout.of(Given.counter("requests"), Given.counter("rpc_count"));
    double[] values = {7 * 40, 10 * 40};
    long[] starts = {T0 - 1, 0};
    long time = T0 + 40 * TICK;
    processor.step(state, new Block("shop", "cart", time, layout, values, starts), out);
    processor.advance(state, Long.MAX_VALUE, out);
    assertEquals(3, out.frames.size(), "the open tick, this one, the waiting block's");
    assertEquals(List.of("400=1.4"), out.values("requests", T0));
    assertEquals(List.of("400=1.0"), out.values("rpc_count", T0));
    assertArrayEquals(bytes(state), bytes(read(bytes(state))));
  }

  /** What version 2 had not, the habit, begins anew. */
  @Test
  void theStateOfVersionTwoGoesOn() throws IOException {
    NodeState state = read(golden("/golden/node_state_v2.bin"));
    assertEquals(withCalls().series.size(), state.series.size());
    Recorded expected = new Recorded();
    Recorded actual = new Recorded();
    processor.advance(withCalls(), Long.MAX_VALUE, expected);
    processor.advance(state, Long.MAX_VALUE, actual);
    assertArrayEquals(expected.frames.get(0).edges(), actual.frames.get(0).edges());
    assertArrayEquals(bytes(state), bytes(read(bytes(state))));
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = NodeStateSerializerTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @Test
  void aLaterVersionIsRefused() throws IOException {
    byte[] bytes = bytes(full());
    bytes[0] = 4;
    assertThrows(IOException.class, () -> read(bytes));
  }
}
