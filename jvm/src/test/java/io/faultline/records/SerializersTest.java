package io.faultline.records;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class SerializersTest {
  private static final SeriesKey CPU =
      new SeriesKey(
          "cpu",
          SeriesKey.canonical(Map.of("pod", "a-1", "zone", "")),
          "frontend",
          Side.CLIENT,
          Kind.COUNTER,
          Signal.CPU,
          "s");

  private static <T> T roundTrip(CompactSerializer<T> serializer, T value) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(value, out);
    DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
    T read = serializer.deserialize(in);
    assertEquals(0, in.available(), "all bytes are read");
    return read;
  }

  @Test
  void blockSurvivesTheChannel() throws IOException {
    Layout layout = Layout.of(CPU, SeriesKey.of("memory"));
    Block read =
        roundTrip(
            BlockSerializer.INSTANCE,
            new Block("shop", "cart", 7L, layout, new double[] {1.5, -2}, new long[] {3L, 0L}));
    assertEquals("shop", read.graph());
    assertEquals("cart", read.node());
    assertEquals(7L, read.time());
    assertSame(layout, read.layout(), "a layout seen before is not built again");
    assertEquals(CPU, read.layout().series(0));
    assertArrayEquals(new double[] {1.5, -2}, read.values());
    assertEquals(3L, read.start(0));
  }

  @Test
  void labelsAreFoundByName() {
    assertEquals("a-1", CPU.label("pod"));
    assertEquals("", CPU.label("zone"));
    assertEquals(null, CPU.label("po"));
    assertEquals(Map.of("pod", "a-1", "zone", ""), CPU.labelMap());
  }

  @Test
  void graphEventsSurviveTheChannel() throws IOException {
    NodeFrame frame =
        new NodeFrame("g", "n", 10, 20, new float[] {1f}, new String[] {"p"}, new float[] {2f});
    GraphEvent read = roundTrip(GraphEventSerializer.INSTANCE, GraphEvent.of(frame));
    assertArrayEquals(frame.signals(), read.frame().signals());
    assertArrayEquals(frame.peers(), read.frame().peers());
    assertArrayEquals(frame.edges(), read.frame().edges());
    Edge edge = new Edge("g", "a", "b", 5, null, -1);
    assertEquals(edge, roundTrip(GraphEventSerializer.INSTANCE, GraphEvent.of(edge)).edge());
    GraphEvent match = GraphEvent.ofMatch("g", 9, new byte[] {1, 2});
    assertArrayEquals(match.match(), roundTrip(GraphEventSerializer.INSTANCE, match).match());
  }

  @Test
  void bytesOfAnotherVersionAreRefused() {
    DataInputDeserializer in = new DataInputDeserializer(new byte[] {99, 0, 0});
    assertThrows(IOException.class, () -> BlockSerializer.INSTANCE.deserialize(in));
  }
}
