package io.faultline.graph;

import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.node.Tally;

/** Where a graph's results go, in order of event time. */
interface GraphOutput extends Tally {
  /** The frame row of a tick that ended at this time (ms UTC). */
  void frame(long time, byte[] row);

  /** A match (UTF-8 JSON) that was ready at this time (ms UTC). */
  void match(long time, byte[] json);

  /** A match of a pattern keyed by graph. */
  default void graphMatch(long time, byte[] json) {
    match(time, json);
  }

  /** When all input ended, ms UTC: silence after that says nothing. */
  default long inputEnd() {
    return Long.MAX_VALUE;
  }

  /** A match or an edge as the patterns keyed by graph are about to see it. */
  default void sight(KeyRuns runs, Event sight) {}

  /** A frame came after its tick was packed, so it is lost. */
  default void late(String node, long time) {
    add("late_frames");
  }
}
