package io.faultline.records;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The series of a block, in order. Scrapes repeat the same series, so a layout is encoded once and
 * found again by its bytes: the receiving side builds no strings for a layout it has seen.
 */
public final class Layout implements Comparable<Layout> {
  private static final int CACHED = 4096;
  private static final ThreadLocal<Cache> CACHE = ThreadLocal.withInitial(Cache::new);

  private final SeriesKey[] series;
  private final byte[] bytes;
  private final int hash;

  private Layout(SeriesKey[] series, byte[] bytes) {
    this.series = series;
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
  }

  /** The layout of these series; the array must not change afterwards. */
  public static Layout of(SeriesKey... series) {
    try {
      DataOutputSerializer out = new DataOutputSerializer(64 * Math.max(1, series.length));
      out.writeInt(series.length);
      for (SeriesKey key : series) {
        SeriesKeys.write(key, out);
      }
      return CACHE.get().intern(series, out.getCopyOfBuffer());
    } catch (IOException e) {
      throw new IllegalStateException("a layout could not be encoded", e);
    }
  }

  /** The layout encoded in these bytes, from the thread's cache where it was seen before. */
  static Layout decode(byte[] bytes) throws IOException {
    Layout known = CACHE.get().get(new Bytes(bytes));
    if (known != null) {
      return known;
    }
    DataInputDeserializer in = new DataInputDeserializer(bytes);
    SeriesKey[] series = new SeriesKey[in.readInt()];
    for (int i = 0; i < series.length; i++) {
      series[i] = SeriesKeys.read(in);
    }
    return CACHE.get().intern(series, bytes);
  }

  public int size() {
    return series.length;
  }

  public SeriesKey series(int index) {
    return series[index];
  }

  byte[] bytes() {
    return bytes;
  }

  /** By bytes. */
  @Override
  public int compareTo(Layout other) {
    return this == other ? 0 : Arrays.compare(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Layout that && that.hash == hash && Arrays.equals(that.bytes, bytes));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** Bytes compared by content. */
  private static final class Bytes {
    private final byte[] bytes;
    private final int hash;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
      this.hash = Arrays.hashCode(bytes);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes that && Arrays.equals(that.bytes, bytes);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** Least recently used layouts of one thread, bounded. */
  private static final class Cache extends LinkedHashMap<Bytes, Layout> {
    Cache() {
      super(64, 0.75f, true);
    }

    Layout intern(SeriesKey[] series, byte[] bytes) {
      return computeIfAbsent(new Bytes(bytes), b -> new Layout(series, bytes));
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Bytes, Layout> eldest) {
      return size() > CACHED;
    }
  }
}
