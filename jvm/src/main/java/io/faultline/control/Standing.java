package io.faultline.control;

import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternModel;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * A pattern that is live, and where it comes from.
 *
 * @param source the pattern as JSON
 * @param record what published it, null where the configuration did
 */
record Standing(LivePattern live, JsonNode source, @Nullable ControlRecord record) {
  PatternModel model() {
    return live.model();
  }

  int version() {
    return live.model().version();
  }
}
