package io.faultline.node;

/**
 * The ticks of one graph, numbered.
 *
 * @param lengthMs length of a tick, ms
 * @param phaseMs by how much later than the multiples of the length a tick ends, ms
 */
record Ticks(long lengthMs, long phaseMs) {
  private static final long PRIME = 0x9E3779B97F4A7C15L;

  /** A moment within the tick that is a graph's own: the same wherever and whenever it is asked. */
  static long phase(String graph, long lengthMs) {
    // The upper bits spread evenly even where names are numbered.
    long spread = graph.hashCode() * PRIME >>> 32;
    return (long) (lengthMs * (spread / (double) (1L << 32)));
  }

  /** The tick of an event time, ms. */
  long of(long time) {
    return Math.floorDiv(time - phaseMs, lengthMs);
  }

  /** The end of a tick, ms: the first moment that is not in it. */
  long end(long tick) {
    return (tick + 1) * lengthMs + phaseMs;
  }
}
