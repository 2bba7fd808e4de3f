package io.faultline.cep;

import io.faultline.records.Signal;
import javax.annotation.Nullable;

/**
 * Metric and signal of a series, under which patterns are found.
 *
 * @param id small, of its own within an engine
 * @param metric null = any: nothing is known
 */
record Name(int id, @Nullable String metric, @Nullable Signal signal) {
  boolean isAny() {
    return metric == null;
  }
}
