package io.faultline.decode;

/** What a time can be. Outside these bounds the sender used another unit than it should. */
final class Times {
  /** 1973-01-01 in ms: anything earlier is a time in seconds. */
  private static final long EARLIEST = 94_694_400_000L;

  /** 1973-01-01 in microseconds: anything later is a time in microseconds or nanoseconds. */
  private static final long LATEST = EARLIEST * 1_000L;

  private static final long NANOS_PER_MS = 1_000_000L;

  private Times() {}

  static boolean isValid(long ms) {
    return ms >= EARLIEST && ms < LATEST;
  }

  /** Unsigned nanoseconds to ms, the rest dropped. */
  static long fromNanos(long nanos) {
    return nanos >= 0 ? nanos / NANOS_PER_MS : Long.divideUnsigned(nanos, NANOS_PER_MS);
  }
}
