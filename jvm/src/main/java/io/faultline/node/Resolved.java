package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.Signal;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What a series is, after its own declaration and the rules.
 *
 * @param unit of its values after counter to rate; null = not declared
 * @param factor to the base unit
 * @param kind gauge, counter or delta; never unsaid
 * @param dropped a rule does not want it
 * @param known its signal was declared or a rule says it
 * @param parts what is made of it and others; where there is something, its own values are not
 *     shown
 * @param place where the rules that decided are written; null = none did
 */
public record Resolved(
    Signal signal,
    @Nullable String unit,
    double factor,
    Kind kind,
    Role role,
    boolean dropped,
    boolean known,
    List<Part> parts,
    @Nullable String place) {

  boolean availability() {
    return signal == Signal.AVAILABILITY;
  }

  /** Whether its own values count, and not only those derived from them. */
  boolean feeds() {
    return role.feeds() && parts.isEmpty();
  }

  /** Whether the unit is one of which nobody knows the factor. */
  public boolean unitUnknown() {
    return Units.unknown(unit);
  }

  /** Whether it is an upper bound's share of a histogram. */
  public boolean bucket() {
    return role == Role.BUCKET;
  }

  /** Whether it, or what is made of it, measures this. */
  boolean measures(Signal wanted) {
    if (parts.isEmpty()) {
      return signal == wanted;
    }
    for (Part part : parts) {
      if (part.term() != Term.NONE && part.total().signal() == wanted) {
        return true;
      }
    }
    return false;
  }
}
