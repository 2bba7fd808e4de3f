package io.faultline.node;

import io.faultline.cep.SampleEvent;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;

/** Where a node's results go. */
public interface NodeOutput extends Tally {
  void frame(NodeFrame frame);

  /** A call to the node was seen, or is known to have been. */
  void called(Edge edge);

  /** A match as UTF-8 JSON, ready at this event time (ms UTC). */
  void match(String graph, long time, byte[] json);

  /** When all input ended, ms UTC: silence after that says nothing. */
  default long inputEnd() {
    return Long.MAX_VALUE;
  }

  /** Whether {@link #sample} is wanted: it costs something per sample. */
  default boolean wantsSamples() {
    return false;
  }

  /** A normalised sample; the object is used again after the call. */
  default void sample(SampleEvent sample) {}

  /** Something worth knowing befell a counter; it was counted as well. */
  default void noted(NodeState state, SeriesKey series, long time, String reason) {}

  /** The series stayed anomalous for so long that its new level became its baseline. */
  default void adopted(NodeState state, SeriesKey series, long time) {
    add("baseline_adopted");
  }
}
