package io.faultline.cep;

import org.apache.flink.cep.pattern.conditions.IterativeCondition;

/** The context of a condition that is tested without knowing the samples of earlier steps. */
final class NoSteps implements IterativeCondition.Context<Event> {
  static final NoSteps INSTANCE = new NoSteps();

  private NoSteps() {}

  /** Thrown where a condition asks for earlier samples. One object, no stack: it is not rare. */
  static final class Asked extends RuntimeException {
    private static final Asked INSTANCE = new Asked();

    private Asked() {
      super("a condition asked for the samples of a step", null, false, false);
    }
  }

  @Override
  public Iterable<Event> getEventsForPattern(String name) {
    throw Asked.INSTANCE;
  }

  @Override
  public long timestamp() {
    throw Asked.INSTANCE;
  }

  @Override
  public long currentProcessingTime() {
    throw Asked.INSTANCE;
  }
}
