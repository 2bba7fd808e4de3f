package io.faultline.node;

import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;

/** Where a node's results go. */
public interface NodeOutput extends Tally {
  void frame(NodeFrame frame);

  /** The series stayed anomalous for so long that its new level became its baseline. */
  default void adopted(NodeState state, SeriesKey series, long time) {
    add("baseline_adopted");
  }
}
