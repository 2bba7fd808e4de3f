package io.faultline.records;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The series of a block, in order. Scrapes repeat the same series, so a layout is encoded once and
 * found again by its bytes: the receiving side builds nothing for a layout it has seen.
 */
public final class Layout implements Comparable<Layout> {
  private final SeriesKey[] series;
  private final byte[] bytes;
  private final int hash;

  Layout(SeriesKey[] series, byte[] bytes, int hash) {
    this.series = series;
    this.bytes = bytes;
    this.hash = hash;
  }

  /** The layout of these series; the array must not change afterwards. */
  public static Layout of(SeriesKey... series) {
    try {
      DataOutputSerializer out = new DataOutputSerializer(64 * Math.max(1, series.length));
      out.writeInt(series.length);
      for (SeriesKey key : series) {
        SeriesKeys.write(key, out);
      }
      return KnownLayouts.ofThread().intern(series, out.getCopyOfBuffer());
    } catch (IOException e) {
      throw new IllegalStateException("a layout could not be encoded", e);
    }
  }

  /** Length in bytes, then what {@link #of} made of the series. */
  void write(DataOutputView out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static Layout read(DataInputView in) throws IOException {
    return KnownLayouts.ofThread().read(in, in.readInt());
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
}
