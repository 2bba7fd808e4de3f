package io.faultline.control;

import io.faultline.cep.PatternModel;
import javax.annotation.Nullable;

/**
 * What a record of the control topic came to.
 *
 * @param key what a run of the pattern follows: who hosts it; null where that is not known
 * @param id of the pattern, "" where even that could not be read
 * @param version of the pattern, 0 where that could not be read
 * @param reason why it was refused; null where it was not
 * @param record null where it could not be read
 */
record Answer(
    State state,
    @Nullable PatternModel.Key key,
    String id,
    int version,
    @Nullable String reason,
    @Nullable ControlRecord record) {

  enum State {
    LIVE,
    RETIRED,
    REFUSED,
    /** It controls something else. */
    IGNORED
  }

  boolean isRefused() {
    return state == State.REFUSED;
  }
}
