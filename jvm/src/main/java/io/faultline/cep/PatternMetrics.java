package io.faultline.cep;

import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

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

  private PatternMetrics() {}

  /** Registers the metrics of these patterns. */
  public static void register(MetricGroup group, List<CompiledPattern> patterns) {
    for (CompiledPattern pattern : patterns) {
      PatternModel model = pattern.model();
      MetricGroup own =
          group
              .addGroup("pattern", model.id())
              .addGroup("version", String.valueOf(model.version()));
      PatternStats stats = pattern.stats();
      ALL.forEach((name, value) -> own.gauge(name, (Gauge<Long>) () -> value.applyAsLong(stats)));
    }
  }
}
