package io.faultline.cep;

import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/**
 * What patterns look at: a sample; a match, an edge or a silent node of a graph; a row. One object
 * may serve many events that nothing waits for; the engine keeps a {@link #copy} of an event that
 * enters an automaton.
 */
public abstract class Event {
  /** Event time, ms UTC. */
  public abstract long time();

  /** The same event as an object that never changes. */
  abstract Event copy();

  /** What the runs of patterns keyed by series follow, or null where there are none. */
  @Nullable
  SeriesKey seriesKey() {
    return null;
  }

  /** {@link SeriesRef#bit} of its series. */
  long seriesBit() {
    return 0;
  }

  /** The graph that it belongs to, or null where there are none. */
  @Nullable
  String graph() {
    return null;
  }

  /** The name under which the engine looks for patterns that this event can matter to. */
  Name name(Names names) {
    return names.any();
  }
}
