package io.faultline.cep;

/** A pattern that cannot run. The message says why and names the step; other patterns go on. */
public final class PatternRefusedException extends Exception {
  public PatternRefusedException(String reason) {
    super(reason);
  }

  /** The same refusal, told from further outside: {@code where: reason}. */
  PatternRefusedException in(String where) {
    return new PatternRefusedException(where + ": " + getMessage());
  }
}
