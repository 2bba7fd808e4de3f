package io.faultline.cep;

import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The active runs of one key of the state, such as a node: part of its keyed state. A run that
 * holds nothing is not here, so on a quiet key this is empty. Changed by {@link CepEngine} only;
 * copied deeply by {@link KeyRunsSerializer}.
 */
public final class KeyRuns {
  /** Runs that follow the whole key. */
  final List<Run> node = new ArrayList<>(2);

  /** In the order in which they began, so that outputs have one order. */
  final Map<SeriesKey, List<Run>> series = new LinkedHashMap<>(4);

  /** The bits of the keys of {@link #series}: asking it is cheaper than asking the map. */
  long seriesBits;

  /** The runs of {@link #node} by position of their pattern, and which positions have one. */
  Run[] byPattern = new Run[0];

  long[] active = new long[0];

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
      if (run.compiled != null) {
        point(run);
      }
    } else {
      seriesBits |= SeriesRef.bit(run.series);
      series.computeIfAbsent(run.series, s -> new ArrayList<>(1)).add(run);
    }
  }

  void remove(Run run) {
    if (run.series == null) {
      node.remove(run);
      if (run.compiled != null && run.compiled.index < byPattern.length) {
        byPattern[run.compiled.index] = null;
        active[run.compiled.index >> 6] &= ~(1L << run.compiled.index);
      }
      return;
    }
    List<Run> runs = series.get(run.series);
    runs.remove(run);
    if (runs.isEmpty()) {
      series.remove(run.series);
      seriesBits = 0;
      series.keySet().forEach(key -> seriesBits |= SeriesRef.bit(key));
    }
  }

  /** Points from patterns to runs anew. */
  void index(int patterns) {
    byPattern = new Run[node.isEmpty() ? 0 : patterns];
    active = new long[(byPattern.length + 63) / 64];
    node.forEach(this::point);
  }

  private void point(Run run) {
    int index = run.compiled.index;
    if (index >= byPattern.length) {
      byPattern = new Run[run.compiled.siblings];
      active = new long[(byPattern.length + 63) / 64];
      for (Run each : node) {
        if (each != run) {
          point(each);
        }
      }
    }
    byPattern[index] = run;
    active[index >> 6] |= 1L << index;
  }
}
