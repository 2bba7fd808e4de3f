package io.faultline.cep;

import java.io.Serializable;

/** What went wrong in one condition, since it was compiled. */
final class ConditionCounts implements Serializable {
  /** Comparisons and tests that were false because something was missing. */
  long missing;

  /** Numbers that could not be computed: a division by zero, the log of a negative number. */
  long undefined;
}
