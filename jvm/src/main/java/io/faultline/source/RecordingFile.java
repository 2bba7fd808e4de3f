package io.faultline.source;

import io.faultline.config.Attribute;
import io.faultline.config.IdentityConfig;
import io.faultline.decode.BlockSplitter;
import io.faultline.decode.Decoders;
import io.faultline.decode.RawRecord;
import io.faultline.records.SeriesKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.annotation.Nullable;

/**
 * One file of a recording, read in batches: what stands next to each other and has one time. What
 * has no time (dead letters) goes with the batch it stands in. The position counts samples, edges
 * and dead letters, so that reading can start again at any batch.
 */
final class RecordingFile implements Closeable {
  private static final long UNTIMED = Long.MIN_VALUE;

  private final String name;
  private final LineReader lines;
  private final RecordReader reader;
  private final BlockSplitter blocks = new BlockSplitter();
  private final Deque<Item> ahead = new ArrayDeque<>();
  private final List<Item> batch = new ArrayList<>();
  private long batchTime;
  private long position;
  private long line;

  /**
   * Opens the file.
   *
   * @param graph name of the graph, whatever the lines say; null = as they say
   * @param position items to pass over, from an earlier {@link #position()}
   */
  RecordingFile(Path path, @Nullable String graph, DecodeCounters counters, long position)
      throws IOException {
    this.name = path.toString();
    this.lines = new LineReader(path);
    IdentityConfig identity =
        graph == null
            ? IdentityConfig.DEFAULT
            : new IdentityConfig(Attribute.ofValue(graph), null, null);
    this.reader =
        new RecordReader(
            Decoders.create(Decoders.NATIVE, identity, ""),
            Decoders.NATIVE,
            Long.MAX_VALUE,
            counters,
            (of, node, time, key, value, start) ->
                ahead.add(new Item(time, null, new Sample(of, node, key, value))));
    skip(position);
  }

  private void skip(long items) throws IOException {
    while (position < items && fill()) {
      ahead.poll();
      position++;
    }
  }

  /** Moves to the next batch; false at the end of the file. */
  boolean next() throws IOException {
    position += batch.size();
    batch.clear();
    batchTime = UNTIMED;
    while (fill()) {
      Item item = ahead.peek();
      if (item.time != UNTIMED && batchTime != UNTIMED && item.time != batchTime) {
        break;
      }
      batchTime = Math.max(batchTime, item.time);
      batch.add(ahead.poll());
    }
    return !batch.isEmpty();
  }

  /** Whether there is an item ahead, after reading as far as that takes. */
  private boolean fill() throws IOException {
    while (ahead.isEmpty()) {
      byte[] text = lines.next();
      if (text == null) {
        return false;
      }
      RawRecord record = new RawRecord(name, 0, line++, RawRecord.NO_TIMESTAMP, null, text);
      if (!isBlank(text)) {
        reader.read(record, this::addItem);
      }
    }
    return true;
  }

  private void addItem(Decoded decoded) {
    ahead.add(new Item(decoded.isTimed() ? decoded.time() : UNTIMED, decoded, null));
  }

  private static boolean isBlank(byte[] text) {
    for (byte b : text) {
      if (b > ' ' || b < 0) {
        return false;
      }
    }
    return true;
  }

  /** Event time of the batch, ms. */
  long time() {
    return batchTime;
  }

  /** How many items stand before the batch. */
  long position() {
    return position;
  }

  /** The batch: edges and dead letters as they stand, then the samples as blocks. */
  List<Decoded> take() {
    List<Decoded> out = new ArrayList<>();
    for (Item item : batch) {
      if (item.decoded != null) {
        out.add(item.decoded);
      } else {
        Sample s = item.sample;
        blocks.add(s.graph, s.node, item.time, s.key, s.value, 0L);
      }
    }
    blocks.flush(block -> out.add(Decoded.of(block)));
    return out;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  /** An edge or dead letter, or a sample. */
  private record Item(long time, @Nullable Decoded decoded, @Nullable Sample sample) {}

  private record Sample(String graph, String node, SeriesKey key, double value) {}
}
