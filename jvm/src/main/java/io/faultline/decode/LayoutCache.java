package io.faultline.decode;

import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Layouts by the series objects they are made of, compared by reference: a scrape that repeats its
 * series encodes nothing. Scrapes also repeat their order, so each layout remembers which came
 * after it, and that one is compared first. Series that are equal but not the same object only miss
 * the cache. Bounded.
 */
final class LayoutCache {
  private static final int LIMIT = 8192;

  private final Map<Sequence, Sequence> known = new HashMap<>();
  private final Sequence probe = new Sequence();

  /** The sequence that was asked for last. */
  private Sequence last = probe;

  /** The layout of the first {@code size} series. */
  Layout get(SeriesKey[] keys, int size) {
    Sequence guess = last.following;
    if (guess == null || !guess.is(keys, size)) {
      guess = find(keys, size);
      last.following = guess;
    }
    last = guess;
    return guess.layout;
  }

  private Sequence find(SeriesKey[] keys, int size) {
    probe.set(keys, size);
    Sequence found = known.get(probe);
    if (found != null) {
      return found;
    }
    if (known.size() >= LIMIT) {
      known.clear();
      last = new Sequence();
    }
    SeriesKey[] own = Arrays.copyOf(keys, size);
    Sequence sequence = new Sequence();
    sequence.set(own, size);
    sequence.layout = Layout.of(own);
    known.put(sequence, sequence);
    return sequence;
  }

  /** Series objects in order, equal where the objects are the same. */
  private static final class Sequence {
    private SeriesKey[] keys;
    private int size;
    private int hash;
    private Layout layout;

    /** The one that was asked for after this one last time; null = not known. */
    private Sequence following;

    void set(SeriesKey[] keys, int size) {
      this.keys = keys;
      this.size = size;
      int h = size;
      for (int i = 0; i < size; i++) {
        h = h * 31 + System.identityHashCode(keys[i]);
      }
      hash = h;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Sequence that && that.hash == hash && is(that.keys, that.size);
    }

    boolean is(SeriesKey[] others, int count) {
      if (count != size) {
        return false;
      }
      for (int i = 0; i < size; i++) {
        if (keys[i] != others[i]) {
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
