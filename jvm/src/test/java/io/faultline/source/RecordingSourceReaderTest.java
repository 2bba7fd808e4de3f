package io.faultline.source;

import static io.faultline.source.Recordings.T0;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingSourceReaderTest {
  @TempDir Path dir;
  private List<String> paths;

  @BeforeEach
  void write() throws Exception {
    List<String> samples = new ArrayList<>();
    for (int tick = 0; tick < 3; tick++) {
      for (String node : List.of("a", "b", "c")) {
        samples.add(Recordings.sample(node, "m", tick, T0 + tick));
      }
    }
    samples.add(4, "nonsense");
    paths = List.of(Recordings.write(dir, samples, null).toString());
  }

  /** Only metrics are asked for. */
  private static SourceReaderContext context() {
    return (SourceReaderContext)
        Proxy.newProxyInstance(
            RecordingSourceReaderTest.class.getClassLoader(),
            new Class<?>[] {SourceReaderContext.class},
            (proxy, method, arguments) ->
                method.getName().equals("metricGroup")
                    ? InternalSourceReaderMetricGroup.mock(new UnregisteredMetricsGroup())
                    : null);
  }

  private RecordingSourceReader reader(RecordingSplit split) throws Exception {
    RecordingSourceReader reader = new RecordingSourceReader(context(), paths, List.of());
    byte[] bytes = RecordingSplit.SERIALIZER.serialize(split);
    reader.addSplits(List.of(RecordingSplit.SERIALIZER.deserialize(1, bytes)));
    reader.notifyNoMoreSplits();
    return reader;
  }

  private static String describe(Decoded d) {
    return d.block() == null
        ? d.deadLetter().reason()
        : d.block().node() + "@" + (d.block().time() - T0);
  }

  @Test
  void readingGoesOnExactlyWhereItStopped() throws Exception {
    List<String> all = new ArrayList<>();
    RecordingSourceReader whole = reader(RecordingSplit.START);
    Collected out = new Collected(all);
    while (whole.pollNext(out) != InputStatus.END_OF_INPUT) {
      // Reads on.
    }
    whole.close();
    assertEquals(10, all.size(), all::toString);
    for (int stop = 0; stop <= all.size(); stop++) {
      List<String> seen = new ArrayList<>();
      RecordingSourceReader first = reader(RecordingSplit.START);
      for (int i = 0; i < stop; i++) {
        first.pollNext(new Collected(seen));
      }
      RecordingSplit split = first.snapshotState(1).get(0);
      first.close();
      RecordingSourceReader second = reader(split);
      while (second.pollNext(new Collected(seen)) != InputStatus.END_OF_INPUT) {
        // Reads on.
      }
      RecordingSplit end = second.snapshotState(2).get(0);
      second.close();
      assertEquals(all, seen);
      RecordingSourceReader third = reader(end);
      assertEquals(InputStatus.END_OF_INPUT, third.pollNext(new Collected(seen)));
      third.close();
    }
  }

  @Test
  void withoutASplitTheReaderEnds() throws Exception {
    RecordingSourceReader reader = new RecordingSourceReader(context(), paths, List.of());
    assertEquals(InputStatus.NOTHING_AVAILABLE, reader.pollNext(new Collected(List.of())));
    assertEquals(List.of(), reader.snapshotState(1));
    reader.notifyNoMoreSplits();
    assertTrue(reader.isAvailable().isDone());
    assertEquals(InputStatus.END_OF_INPUT, reader.pollNext(new Collected(List.of())));
  }

  /** Version 1 as it was released. */
  @Test
  void savedSplitsStayReadable() throws Exception {
    byte[] golden =
        HexFormat.of().parseHex("0000000200000000000000050000000000000100" + "00000003");
    RecordingSplit split = RecordingSplit.SERIALIZER.deserialize(1, golden);
    assertArrayEquals(new long[] {5, 256}, split.positions());
    assertEquals(3, split.emitted());
    assertArrayEquals(golden, RecordingSplit.SERIALIZER.serialize(split));
  }

  /** Describes what is collected. */
  private record Collected(List<String> into) implements ReaderOutput<Decoded> {
    @Override
    public void collect(Decoded record) {
      into.add(describe(record));
    }

    @Override
    public void collect(Decoded record, long timestamp) {
      assertEquals(record.time(), timestamp);
      into.add(describe(record));
    }

    @Override
    public void emitWatermark(Watermark watermark) {
      throw new AssertionError("event time follows the records");
    }

    @Override
    public void markIdle() {
      throw new AssertionError("recordings are never idle");
    }

    @Override
    public void markActive() {
      throw new AssertionError("recordings are never idle");
    }

    @Override
    public SourceOutput<Decoded> createOutputForSplit(String splitId) {
      return this;
    }

    @Override
    public void releaseOutputForSplit(String splitId) {
      throw new AssertionError("there is one split");
    }
  }
}
