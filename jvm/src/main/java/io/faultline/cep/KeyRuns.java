package io.faultline.cep;

import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The active runs of one node: part of its keyed state. A run that holds nothing is not here, so on
 * a quiet node this is empty. Changed by {@link CepEngine} only; copied deeply by {@link
 * KeyRunsSerializer}.
 */
public final class KeyRuns {
  final List<Run> node = new ArrayList<>(2);

  /** In the order in which they began, so that outputs have one order. */
  final Map<SeriesKey, List<Run>> series = new LinkedHashMap<>(4);

  /** The set of patterns that the runs are bound to. */
  Object boundTo;

  /** No run is due before this. */
  long nextDue = Run.NEVER;

  public boolean isEmpty() {
    return node.isEmpty() && series.isEmpty();
  }

  /** Active runs. */
  public int size() {
    int n = node.size();
    for (List<Run> runs : series.values()) {
      n += runs.size();
    }
    return n;
  }

  void each(Consumer<Run> action) {
    node.forEach(action);
    series.values().forEach(runs -> runs.forEach(action));
  }

  void add(Run run) {
    if (run.series == null) {
      node.add(run);
    } else {
      series.computeIfAbsent(run.series, s -> new ArrayList<>(1)).add(run);
    }
  }

  void remove(Run run) {
    if (run.series == null) {
      node.remove(run);
      return;
    }
    List<Run> runs = series.get(run.series);
    runs.remove(run);
    if (runs.isEmpty()) {
      series.remove(run.series);
    }
  }
}
