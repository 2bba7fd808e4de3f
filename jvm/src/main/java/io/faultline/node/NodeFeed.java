package io.faultline.node;

import io.faultline.records.Layout;

/** Feeds one node with rows of a matrix, one value per series: the batch way in. */
public final class NodeFeed {
  private final NodeProcessor processor;
  private final NodeState state;
  private final Layout layout;

  public NodeFeed(NodeProcessor processor, String graph, String node, Layout layout) {
    this.processor = processor;
    this.state = new NodeState(graph, node);
    this.layout = layout;
  }

  /**
   * Processes the values of one event time (ms UTC); times must not go back.
   *
   * @param values one per series of the layout, NaN = no sample
   */
  public void row(long time, double[] values, NodeOutput out) {
    for (double value : values) {
      if (!Double.isNaN(value)) {
        processor.row(state, layout, time, values, out);
        return;
      }
    }
  }

  public void advance(long watermark, NodeOutput out) {
    processor.advance(state, watermark, out);
  }
}
