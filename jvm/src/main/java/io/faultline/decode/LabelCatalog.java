package io.faultline.decode;

import javax.annotation.Nullable;

/**
 * What sets of labels with a name stand for, by the bytes of the labels as sent: what was seen
 * before costs one look at its bytes. Emptied once it has grown past a limit, so that a sender of
 * ever new labels costs time and not memory.
 */
final class LabelCatalog<V> {
  private static final int LIMIT = 500_000;

  private final BytesMap<Entry<V>> known = new BytesMap<>();
  private int entries;

  /** What labels of these bytes stand for with that name; null = not kept. */
  @Nullable
  V find(byte[] bytes, int from, int to, String name) {
    Entry<V> entry = known.get(bytes, from, to);
    while (entry != null && !entry.name.equals(name)) {
      entry = entry.next;
    }
    return entry == null ? null : entry.value;
  }

  /** As {@link #find(byte[], int, int, String)}, with a name in ASCII. */
  @Nullable
  V find(byte[] bytes, int from, int to, int nameFrom, int nameTo) {
    Entry<V> entry = known.get(bytes, from, to);
    while (entry != null && !isNamed(entry.name, bytes, nameFrom, nameTo)) {
      entry = entry.next;
    }
    return entry == null ? null : entry.value;
  }

  private static boolean isNamed(String name, byte[] bytes, int from, int to) {
    if (name.length() != to - from) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (bytes[i] != name.charAt(i - from)) {
        return false;
      }
    }
    return true;
  }

  void keep(byte[] bytes, int from, int to, String name, V value) {
    if (entries >= LIMIT) {
      known.clear();
      entries = 0;
    }
    known.put(bytes, from, to, new Entry<>(name, value, known.get(bytes, from, to)));
    entries++;
  }

  /** One name, and others with the same labels. */
  private record Entry<V>(String name, V value, @Nullable Entry<V> next) {}
}
