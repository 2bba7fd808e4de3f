package io.faultline.cli;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.PatternStats;
import io.faultline.config.Json;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What patterns took of a run: events, steps and time of the automaton, most partial matches. */
final class Costs {
  private final List<CompiledPattern> patterns;
  private final long[] peaks;

  Costs(List<CompiledPattern> patterns) {
    this.patterns = patterns;
    this.peaks = new long[patterns.size()];
  }

  /** Notes how many partial matches are held now. */
  void look() {
    for (int i = 0; i < peaks.length; i++) {
      peaks[i] = Math.max(peaks[i], patterns.get(i).stats().partials());
    }
  }

  /**
   * @param samples of the run
   * @param nanos that the whole run took, reading and normalising included
   */
  void tell(long samples, long nanos, Consumer<ObjectNode> out) {
    for (int i = 0; i < peaks.length; i++) {
      PatternStats stats = patterns.get(i).stats();
      ObjectNode line = Json.mapper().createObjectNode();
      line.put("pattern", patterns.get(i).model().id());
      line.put("samples", samples).put("run_ns", nanos).put("events_seen", stats.seen());
      line.put("first_step_hits", stats.starts()).put("automaton_steps", stats.steps());
      line.put("time_ns", stats.nanos()).put("partials_peak", peaks[i]);
      line.put("evicted", stats.evicted()).put("failed", stats.failed());
      line.put("condition_errors", stats.undefined());
      out.accept(line);
    }
  }
}
