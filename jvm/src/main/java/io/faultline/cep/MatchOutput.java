package io.faultline.cep;

import java.util.List;
import java.util.Map;

/** Where the engine puts what it finds. Times are event times in ms UTC. */
public interface MatchOutput {
  /**
   * A pattern completed.
   *
   * @param samples by step, in the order in which they were taken
   * @param readyAt when event time decided it
   */
  void match(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt);

  /** A partial match ran out of time; only told where the settings ask for it. */
  void timeout(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt);

  /** The oldest partial matches of a key went because it held too many. */
  default void evicted(CompiledPattern pattern, int partials) {}

  /** A run was given up because Flink's automaton failed on it; the pattern stays live. */
  default void failed(CompiledPattern pattern, Exception cause) {}
}
