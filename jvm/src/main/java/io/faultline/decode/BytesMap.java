package io.faultline.decode;

import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * A map from ranges of bytes, compared by content; looking up copies nothing. Senders repeat
 * themselves in the same order, so each entry remembers which one was asked for after it: that one
 * is compared first, and where it fits nothing is hashed.
 */
final class BytesMap<V> {
  private static final long PRIME = 0x9E3779B97F4A7C15L;
  private static final byte[] NOTHING = {};

  /** What is there for one range. */
  private static final class Entry<V> {
    final byte[] key;
    final int hash;
    V value;

    /** The next one of the same slot. */
    @Nullable Entry<V> chained;

    /** The one that was asked for after this one last time. */
    @Nullable Entry<V> following;

    Entry(byte[] key, int hash, V value) {
      this.key = key;
      this.hash = hash;
      this.value = value;
    }

    boolean is(byte[] buffer, int from, int to) {
      return Arrays.equals(key, 0, key.length, buffer, from, to);
    }
  }

  private Entry<V>[] slots = slots(1);
  private int size;

  /** The entry that was asked for last; at first one that is in no slot. */
  private Entry<V> last = new Entry<>(NOTHING, 0, null);

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <V> Entry<V>[] slots(int count) {
    return new Entry[count];
  }

  @Nullable
  V get(byte[] buffer, int from, int to) {
    Entry<V> guess = last.following;
    if (guess == null || !guess.is(buffer, from, to)) {
      guess = find(buffer, from, to, hash(buffer, from, to));
      if (guess == null) {
        return null;
      }
      last.following = guess;
    }
    last = guess;
    return guess.value;
  }

  /**
   * What is there for the range that was asked for after the last one, if the bytes begin with it.
   * Null says only that it is worth while to look for the range.
   */
  @Nullable
  V guess(byte[] buffer, int from, int to) {
    Entry<V> guess = last.following;
    if (guess == null || guess.key.length > to - from) {
      return null;
    }
    if (!guess.is(buffer, from, from + guess.key.length)) {
      return null;
    }
    last = guess;
    return guess.value;
  }

  /** As {@link #get}, if it is what was asked for after the last range; else null. */
  @Nullable
  V guessWhole(byte[] buffer, int from, int to) {
    Entry<V> guess = last.following;
    if (guess == null || !guess.is(buffer, from, to)) {
      return null;
    }
    last = guess;
    return guess.value;
  }

  /** Takes a copy of the range. */
  void put(byte[] buffer, int from, int to, V value) {
    int hash = hash(buffer, from, to);
    Entry<V> entry = find(buffer, from, to, hash);
    if (entry == null) {
      entry = new Entry<>(Arrays.copyOfRange(buffer, from, to), hash, value);
      add(entry);
    }
    entry.value = value;
    last.following = entry;
    last = entry;
  }

  void clear() {
    slots = slots(1);
    size = 0;
    last = new Entry<>(NOTHING, 0, null);
  }

  @Nullable
  private Entry<V> find(byte[] buffer, int from, int to, int hash) {
    for (Entry<V> e = slots[hash & slots.length - 1]; e != null; e = e.chained) {
      if (e.hash == hash && e.is(buffer, from, to)) {
        return e;
      }
    }
    return null;
  }

  private void add(Entry<V> entry) {
    if (size++ == slots.length) {
      Entry<V>[] old = slots;
      slots = slots(old.length * 2);
      for (Entry<V> first : old) {
        for (Entry<V> e = first; e != null; ) {
          Entry<V> rest = e.chained;
          chain(e);
          e = rest;
        }
      }
    }
    chain(entry);
  }

  private void chain(Entry<V> entry) {
    int slot = entry.hash & slots.length - 1;
    entry.chained = slots[slot];
    slots[slot] = entry;
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
    return (int) (h * PRIME >>> 32); // the upper half has what all bytes have changed
  }
}
