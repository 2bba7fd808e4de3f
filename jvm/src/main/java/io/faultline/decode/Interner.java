package io.faultline.decode;

import java.util.HashMap;
import java.util.Map;

/** Gives equal values the same object, so that they compare by reference downstream. Bounded. */
final class Interner<T> {
  private final Map<T, T> known = new HashMap<>();
  private final int limit;

  Interner(int limit) {
    this.limit = limit;
  }

  T intern(T value) {
    T found = known.get(value);
    if (found != null) {
      return found;
    }
    if (known.size() >= limit) {
      known.clear();
    }
    known.put(value, value);
    return value;
  }
}
