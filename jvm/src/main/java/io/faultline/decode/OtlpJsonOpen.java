package io.faultline.decode;

import io.faultline.decode.OtlpPath.Level;
import java.util.Arrays;

/**
 * The messages that are open while JSON is read, so that after a break in the text only what is
 * whole is kept. A point is whole at its end; what holds points must have said before them all that
 * gives them their meaning: the resource, the scope, the metric's name and unit and how it adds up.
 */
final class OtlpJsonOpen {
  static final int NAME = 1;
  static final int UNIT = 2;
  static final int TEMPORALITY = 4;
  static final int MONOTONIC = 8;
  private static final int CLOSED = -1;

  /** By level: number of messages around the open one. */
  private final int[] depths = new int[Level.values().length];

  private final boolean[] settled = new boolean[Level.values().length];
  private int metricHas;
  private int metricNeeds;

  void clear() {
    Arrays.fill(depths, CLOSED);
  }

  void begin(Level level, int depth) {
    depths[level.ordinal()] = depth;
    settled[level.ordinal()] = false;
    if (level == Level.METRIC) {
      metricHas = 0;
      metricNeeds = NAME | UNIT;
    }
  }

  void end(Level level) {
    depths[level.ordinal()] = CLOSED;
  }

  /** The open message of that level has said what it is. */
  void settle(Level level) {
    settled[level.ordinal()] = true;
  }

  void metricHas(int said) {
    metricHas |= said;
  }

  /** The open metric's data begin, in a field of that name. */
  void beginData(String name) {
    metricNeeds =
        switch (name) {
          case "gauge", "summary" -> NAME | UNIT;
          case "sum" -> NAME | UNIT | TEMPORALITY | MONOTONIC;
          default -> NAME | UNIT | TEMPORALITY;
        };
  }

  /** Takes back what is not whole. */
  void cut(WireWriter out) {
    settled[Level.METRIC.ordinal()] = (metricHas & metricNeeds) == metricNeeds;
    for (int level = depths.length - 1; level >= 0; level--) {
      if (depths[level] != CLOSED && !settled[level]) {
        out.cut(depths[level]);
      }
    }
  }
}
