package io.faultline.decode;

import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Layouts by the series objects they are made of, compared by reference: a scrape that repeats its
 * series encodes nothing. Series that are equal but not the same object only miss the cache.
 * Bounded.
 */
final class LayoutCache {
  private static final int MOST_SERIES = 1_000_000;
  private static final int HASHED = 8;

  private final Map<Sequence, Layout> known = new HashMap<>();
  private final Sequence probe = new Sequence();
  private int held;

  /** The layout of the first {@code size} series. */
  Layout get(SeriesKey[] keys, int size) {
    probe.set(keys, size);
    Layout found = known.get(probe);
    if (found != null) {
      return found;
    }
    if (held + size > MOST_SERIES) {
      known.clear();
      held = 0;
    }
    held += size;
    SeriesKey[] own = Arrays.copyOf(keys, size);
    Layout layout = Layout.of(own);
    Sequence sequence = new Sequence();
    sequence.set(own, size);
    known.put(sequence, layout);
    return layout;
  }

  /**
   * Series objects in order, equal where the objects are the same. The hash looks at some of them:
   * to ask an object for its identity means to fetch it from memory.
   */
  private static final class Sequence {
    private SeriesKey[] keys;
    private int size;
    private int hash;

    void set(SeriesKey[] keys, int size) {
      this.keys = keys;
      this.size = size;
      hash = size;
      int step = Math.max(1, size / HASHED);
      for (int i = 0; i < size; i += step) {
        hash = hash * 31 + System.identityHashCode(keys[i]);
      }
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Sequence that) || that.hash != hash || that.size != size) {
        return false;
      }
      for (int i = 0; i < size; i++) {
        if (keys[i] != that.keys[i]) {
          return false;
        }
      }
      return true;
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
