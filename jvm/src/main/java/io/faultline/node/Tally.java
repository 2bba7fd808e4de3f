package io.faultline.node;

/** Counts what was dropped or decided silently, by one word per reason. */
@FunctionalInterface
public interface Tally {
  void add(String reason);
}
