package io.faultline.decode;

import java.util.Arrays;
import javax.annotation.Nullable;

/** Where in a payload a reader is: an index from 0 at each level that it is in. */
final class OtlpPath {
  /** What holds what, from the outside in. */
  enum Level {
    RESOURCE("resource_metrics"),
    SCOPE("scope_metrics"),
    METRIC("metrics"),
    POINT("points");

    private final String name;

    Level(String name) {
      this.name = name;
    }
  }

  private static final Level[] LEVELS = Level.values();

  /** By level; -1 = not in one. */
  private final int[] indices = new int[LEVELS.length];

  OtlpPath() {
    start();
  }

  /** To the record as a whole. */
  void start() {
    Arrays.fill(indices, -1);
  }

  /** To the next one of that level. */
  void next(Level level) {
    indices[level.ordinal()]++;
    backTo(level);
  }

  /** Out of that level. */
  void backOutOf(Level level) {
    indices[level.ordinal()] = -1;
    backTo(level);
  }

  /** Out of everything that lies within that level. */
  void backTo(Level level) {
    for (int i = level.ordinal() + 1; i < indices.length; i++) {
      indices[i] = -1;
    }
  }

  /** The place in words, such as {@code resource_metrics[0].scope_metrics[0].metrics[2] of up}. */
  String of(@Nullable String name) {
    return name == null || name.isEmpty() ? toString() : this + " of " + name;
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    for (Level level : LEVELS) {
      int index = indices[level.ordinal()];
      if (index >= 0) {
        out.append(out.length() > 0 ? "." : "").append(level.name);
        out.append('[').append(index).append(']');
      }
    }
    return out.length() > 0 ? out.toString() : "record";
  }
}
