package io.faultline.decode;

import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/**
 * What one set of labels of one Prometheus metric stands for, worked out once.
 *
 * @param node null = unnamed: a value gives no sample
 * @param key null where the node is
 * @param call the call that the series describes; null where it describes none
 */
record PrometheusSeries(
    String metric,
    String graph,
    @Nullable String node,
    @Nullable SeriesKey key,
    @Nullable Call call) {

  /** Hands a value on; the time is in ms. */
  void emit(long time, double value, Decoder.Output out) {
    if (node == null || key == null) {
      out.ignored(Reasons.UNNAMED_NODE);
    } else {
      if (call != null) {
        call.tell(graph, time, out);
      }
      out.sample(graph, node, time, key, value, 0L);
    }
  }
}
