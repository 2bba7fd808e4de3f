package io.faultline.decode;

import io.faultline.config.ConfigException;
import javax.annotation.Nullable;

/** The unit of a number that is a time since 1970. */
enum TimeUnits {
  S(1_000L, 1L),
  MS(1L, 1L),
  US(1L, 1_000L),
  NS(1L, 1_000_000L);

  /** No time. */
  static final long NONE = Long.MIN_VALUE;

  private final long factor;
  private final long divisor;

  TimeUnits(long factor, long divisor) {
    this.factor = factor;
    this.divisor = divisor;
  }

  /** As Telegraf's {@code json_timestamp_units} has it; null = its default, seconds. */
  static TimeUnits of(@Nullable String name) {
    return switch (name == null ? "1s" : name) {
      case "1s", "s" -> S;
      case "1ms", "ms" -> MS;
      case "1us", "1\u00b5s", "us" -> US;
      case "1ns", "ns" -> NS;
      default ->
          throw new ConfigException(
              "json_timestamp_units: 1s, 1ms, 1us or 1ns is wanted, found " + name);
    };
  }

  /** Milliseconds, what is less dropped; {@link #NONE} where they are beyond all times. */
  long toMs(long time) {
    long bound = Long.MAX_VALUE / factor;
    if (time > bound || time < -bound) {
      return NONE;
    }
    return Math.floorDiv(time * factor, divisor);
  }

  long toMs(double time) {
    double ms = Math.floor(time * factor / divisor);
    return Math.abs(ms) < Long.MAX_VALUE / 2 ? (long) ms : NONE;
  }
}
