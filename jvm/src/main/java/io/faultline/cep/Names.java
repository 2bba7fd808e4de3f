package io.faultline.cep;

import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.Map;

/** The names that an engine has met. Beyond {@value #MOST} all others are one: any. */
final class Names {
  private static final int MOST = 4096;

  private record Key(String metric, Signal signal) {}

  private final Name any = new Name(0, null, null);
  private final Map<Key, Name> known = new HashMap<>();

  Name any() {
    return any;
  }

  Name of(String metric, Signal signal) {
    Name name = known.get(new Key(metric, signal));
    if (name == null && known.size() < MOST) {
      name = new Name(known.size() + 1, metric, signal);
      known.put(new Key(metric, signal), name);
    }
    return name == null ? any : name;
  }
}
