package io.faultline.cep;

import org.slf4j.Logger;

/**
 * A pattern that was not taken.
 *
 * @param pattern its id, "" where even that could not be read
 * @param version its version, 0 where that could not be read
 * @param reason why, for a person; names the step
 */
public record Refusal(String pattern, int version, String reason) {
  /** Tells of it in the log. */
  public void warn(Logger log) {
    log.warn("event=pattern_refused pattern={} version={} reason=\"{}\"", pattern, version, reason);
  }
}
