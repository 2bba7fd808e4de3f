package io.faultline.decode;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * A map from ranges of bytes, compared by content; looking up copies nothing. Senders repeat
 * themselves: what was looked up after an entry the last time is tried first the next time, without
 * a hash.
 */
final class BytesMap<V> {
  private static final long PRIME = 0x9E3779B97F4A7C15L;

  private final Map<Slice<V>, Slice<V>> entries = new HashMap<>(4);
  private final Slice<V> probe = new Slice<>();

  /** What was found last; its {@link Slice#next} is what is expected now. */
  private Slice<V> last = probe;

  @Nullable
  V get(byte[] buffer, int from, int to) {
    Slice<V> found = last.next;
    if (found == null || !found.has(buffer, from, to)) {
      probe.set(buffer, from, to);
      found = entries.get(probe);
      if (found == null) {
        return null;
      }
      last.next = found;
    }
    last = found;
    return found.value;
  }

  void put(byte[] buffer, int from, int to, V value) {
    Slice<V> own = new Slice<>();
    own.set(Arrays.copyOfRange(buffer, from, to), 0, to - from);
    own.value = value;
    Slice<V> before = entries.putIfAbsent(own, own);
    if (before != null) {
      before.value = value;
    }
  }

  void clear() {
    entries.clear();
    last = probe;
    probe.next = null;
  }

  private static final class Slice<V> {
    private byte[] buffer;
    private int from;
    private int to;
    private int hash;
    private V value;
    private Slice<V> next;

    void set(byte[] buffer, int from, int to) {
      this.buffer = buffer;
      this.from = from;
      this.to = to;
      this.hash = hash(buffer, from, to);
    }

    boolean has(byte[] other, int otherFrom, int otherTo) {
      return Arrays.equals(buffer, from, to, other, otherFrom, otherTo);
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
      return (int) (h * PRIME >>> 32);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Slice<?> that
          && that.hash == hash
          && Arrays.equals(buffer, from, to, that.buffer, that.from, that.to);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
