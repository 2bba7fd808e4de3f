package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.Signal;
import javax.annotation.Nullable;

/**
 * What a series is, after its own declaration and the rules.
 *
 * @param unit of its values after counter to rate; null = not declared
 * @param factor to the base unit
 * @param kind gauge, counter or delta; never unsaid
 * @param dropped a rule does not want it
 * @param known its signal was declared or a rule matched
 */
record Resolved(
    Signal signal,
    @Nullable String unit,
    double factor,
    Kind kind,
    Role role,
    boolean dropped,
    boolean known) {

  boolean availability() {
    return signal == Signal.AVAILABILITY;
  }
}
