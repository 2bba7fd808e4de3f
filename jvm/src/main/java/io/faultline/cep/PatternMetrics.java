package io.faultline.cep;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;

/**
 * The counts of patterns as Flink metrics, in a group {@code pattern.ID.version.N} each. Read when
 * a reporter asks: nothing is paid per event.
 */
public final class PatternMetrics {
  private static final Map<String, ToLongFunction<PatternStats>> ALL =
      Map.ofEntries(
          Map.entry("events_seen", PatternStats::seen),
          Map.entry("first_step_hits", PatternStats::starts),
          Map.entry("automaton_steps", PatternStats::steps),
          Map.entry("partials", PatternStats::partials),
          Map.entry("matches", PatternStats::matches),
          Map.entry("timeouts", PatternStats::timeouts),
          Map.entry("evicted", PatternStats::evicted),
          Map.entry("dropped", PatternStats::dropped),
          Map.entry("failed", PatternStats::failed),
          Map.entry("condition_errors", PatternStats::undefined),
          Map.entry("condition_missing", PatternStats::missing),
          Map.entry("time_ns", PatternStats::nanos));

  /** Versions that no longer run and whose last counts can still be read. */
  private static final int KEPT = 100;

  private final MetricGroup group;

  /** By id and version; those that no longer run come first. */
  private final Map<String, Shown> shown = new LinkedHashMap<>();

  public PatternMetrics(MetricGroup group) {
    this.group = group;
  }

  /** Registers the metrics of these patterns, once and for all. */
  public static void register(MetricGroup group, List<CompiledPattern> patterns) {
    new PatternMetrics(group).show(patterns);
  }

  /** Shows the counts of these patterns; those of others stay as they are, the last hundred. */
  public void show(List<CompiledPattern> patterns) {
    for (CompiledPattern pattern : patterns) {
      PatternModel model = pattern.model();
      Shown one = shown.remove(model.versionedId());
      one = one == null ? register(model) : one;
      one.stats = pattern.stats();
      shown.put(model.versionedId(), one);
    }
    Iterator<Shown> oldest = shown.values().iterator();
    for (int gone = shown.size() - patterns.size(); gone > KEPT; gone--) {
      oldest.next().close();
      oldest.remove();
    }
  }

  private Shown register(PatternModel model) {
    String version = String.valueOf(model.version());
    Shown one = new Shown(group.addGroup("pattern", model.id()).addGroup("version", version));
    ALL.forEach(
        (name, value) -> one.group.gauge(name, (Gauge<Long>) () -> value.applyAsLong(one.stats)));
    return one;
  }

  /** The metrics of one version. */
  private static final class Shown {
    private final MetricGroup group;

    /** Of the pattern as it was compiled last. */
    private volatile PatternStats stats = new PatternStats();

    Shown(MetricGroup group) {
      this.group = group;
    }

    void close() {
      if (group instanceof AbstractMetricGroup<?> registered) {
        registered.close();
      }
    }
  }
}
