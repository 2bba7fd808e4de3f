package io.faultline.decode;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/** A map from ranges of bytes, compared by content; looking up copies nothing. */
final class BytesMap<V> {
  private static final long PRIME = 0x9E3779B97F4A7C15L;

  private final Map<Slice, V> entries = new HashMap<>();
  private final Slice probe = new Slice();

  @Nullable
  V get(byte[] buffer, int from, int to) {
    probe.set(buffer, from, to);
    return entries.get(probe);
  }

  void put(byte[] buffer, int from, int to, V value) {
    Slice own = new Slice();
    own.set(Arrays.copyOfRange(buffer, from, to), 0, to - from);
    entries.put(own, value);
  }

  void clear() {
    entries.clear();
  }

  private static final class Slice {
    private byte[] buffer;
    private int from;
    private int to;
    private int hash;

    void set(byte[] buffer, int from, int to) {
      this.buffer = buffer;
      this.from = from;
      this.to = to;
      this.hash = hash(buffer, from, to);
    }

    private static int hash(byte[] buffer, int from, int to) {
      long h = to - from;
      int at = from;
      for (; at + 8 <= to; at += 8) {
        h = (h ^ Wire.longAt(buffer, at)) * PRIME;
        h ^= h >>> 32;
      }
      for (; at < to; at++) {
        h = (h ^ buffer[at]) * PRIME;
      }
      return (int) (h ^ (h >>> 32));
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Slice that
          && that.hash == hash
          && Arrays.equals(buffer, from, to, that.buffer, that.from, that.to);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
