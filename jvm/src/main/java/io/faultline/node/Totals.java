package io.faultline.node;

import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The totals of one node, in the order of their first parts. Nothing of them is written: parts keep
 * their last values, and this is made anew whenever a series comes or goes.
 */
final class Totals {
  final int revision;

  /** In order. */
  final List<Total> all;

  Totals(SeriesTable table) {
    revision = table.revision();
    Map<SeriesKey, Total> byKey = new LinkedHashMap<>();
    for (int i = 0; i < table.size(); i++) {
      Series series = table.get(i);
      for (Part part : series.resolved.parts()) {
        byKey.computeIfAbsent(part.total(), Total::new).add(series, part);
      }
    }
    all = new ArrayList<>(byKey.values());
  }
}
