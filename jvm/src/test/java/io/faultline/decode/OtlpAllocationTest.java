package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Points of series that are known cost no memory. */
class OtlpAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int POINTS = 2_000;
  private static final int TIMES = 50;

  /** Counts samples and keeps none. */
  private static final class Counted implements Decoder.Output {
    private long samples;

    @Override
    public void sample(
        String graph, String node, long time, SeriesKey key, double value, long start) {
      samples++;
    }

    @Override
    public void edge(Edge edge) {
      throw new AssertionError("no edges here");
    }

    @Override
    public void call(Edge edge) {
      throw new AssertionError("no calls here");
    }

    @Override
    public void deadLetter(String reason, String detail) {
      throw new AssertionError(detail);
    }

    @Override
    public void ignored(String reason) {
      throw new AssertionError(reason);
    }
  }

  private static Proto resource() {
    return new Proto().attribute(1, "service.name", "cart");
  }

  private static byte[] numbers() {
    Proto data = new Proto();
    for (int i = 0; i < POINTS; i++) {
      Proto point = new Proto().fixed(3, OtlpContent.MS * 1_000_000L).real(4, i);
      data.message(1, point.attribute(7, "k", "v" + i));
    }
    return Proto.payload(resource(), new Proto().text(1, "m").message(5, data));
  }

  private static byte[] histograms() {
    Proto data = new Proto();
    for (int i = 0; i < POINTS / 5; i++) {
      Proto point = new Proto().fixed(3, OtlpContent.MS * 1_000_000L).fixed(4, 3);
      point.packed(6, 1L, 1L, 1L).packed(7, 1.0, 2.0).attribute(9, "k", "v" + i);
      data.message(1, point);
    }
    Proto metric = new Proto().text(1, "h").message(9, data.varint(2, 2));
    return Proto.payload(resource(), metric);
  }

  @Test
  void knownSeriesCostNoMemory() {
    List<byte[]> payloads = new ArrayList<>(List.of(numbers(), histograms()));
    for (byte[] payload : payloads) {
      Decoder decoder = new OtlpDecoder(IdentityConfig.DEFAULT, "shop");
      RawRecord record = Collected.record(payload);
      Counted out = new Counted();
      decoder.decode(record, out);
      long each = out.samples;
      decoder.decode(record, out);
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < TIMES; i++) {
        decoder.decode(record, out);
      }
      long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
      assertEquals(each * (TIMES + 2), out.samples);
      assertTrue(bytes < each * TIMES, bytes + " bytes for " + each * TIMES + " samples");
    }
  }
}
