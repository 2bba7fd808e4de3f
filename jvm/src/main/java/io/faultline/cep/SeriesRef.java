package io.faultline.cep;

import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import javax.annotation.Nullable;

/**
 * What is the same for all samples of one series, with signal and unit as the rules resolved them.
 * Keep one object per series: it remembers its name in the engine.
 */
public final class SeriesRef {
  private final String graph;
  private final String node;
  private final SeriesKey key;
  private final Signal signal;
  @Nullable private final String unit;
  private final byte place;

  /** The name of this series in an engine, and the names in which it was found. */
  private Name name;

  private Names nameOf;

  public SeriesRef(String graph, String node, SeriesKey key, Signal signal, @Nullable String unit) {
    this.graph = graph;
    this.node = node;
    this.key = key;
    this.signal = signal;
    this.unit = unit;
    this.place = (byte) place(key);
  }

  /** One of 64 bits, the same for equal keys: a set of bits tells which keys a map cannot hold. */
  static long bit(SeriesKey key) {
    return 1L << place(key);
  }

  private static int place(SeriesKey key) {
    return (key.hashCode() * 0x9E3779B9) >>> 26;
  }

  long bit() {
    return 1L << place;
  }

  Name name(Names names) {
    if (nameOf != names) {
      name = names.of(key.metric(), signal);
      nameOf = names;
    }
    return name;
  }

  public String graph() {
    return graph;
  }

  public String node() {
    return node;
  }

  public SeriesKey key() {
    return key;
  }

  public Signal signal() {
    return signal;
  }

  @Nullable
  public String unit() {
    return unit;
  }
}
