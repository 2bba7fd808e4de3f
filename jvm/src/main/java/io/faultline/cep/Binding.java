package io.faultline.cep;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Ties the runs of a key to the patterns of an engine: after a restore, and after a change of the
 * patterns.
 */
final class Binding {
  private final CompiledPattern[] patterns;
  private long dropped;

  /**
   * @param dropped what was dropped before
   */
  Binding(CompiledPattern[] patterns, long dropped) {
    this.patterns = patterns;
    this.dropped = dropped;
  }

  /** Partial and withheld matches that went with their pattern. */
  long dropped() {
    return dropped;
  }

  /** Finds the patterns of the runs again; runs of patterns that are gone are dropped. */
  void bind(KeyRuns runs) {
    if (runs.boundTo == patterns) {
      return;
    }
    List<Run> gone = new ArrayList<>();
    runs.each(
        run -> {
          CompiledPattern before = run.compiled;
          run.compiled = find(run);
          if (run.compiled == null || !refresh(run)) {
            drop(run, before);
            gone.add(run);
          }
        });
    gone.forEach(runs::remove);
    runs.index(patterns.length);
    findNextDue(runs);
    runs.boundTo = patterns;
  }

  /** Whether the run is one of its pattern's, and holds anything. */
  private static boolean refresh(Run run) {
    if (!run.compiled.isDraining()) {
      run.beginAgain();
    } else if (run.first == null) {
      run.beginNoMore();
    }
    return run.isActive() && run.refresh();
  }

  static void findNextDue(KeyRuns runs) {
    runs.nextDue = Run.NEVER;
    runs.each(run -> runs.nextDue = Math.min(runs.nextDue, run.due));
  }

  private void drop(Run run, @Nullable CompiledPattern before) {
    CompiledPattern counted = run.compiled == null ? before : run.compiled;
    dropped += run.held();
    if (counted != null) {
      counted.stats().dropped += run.held();
      counted.stats().partials -= before == null ? 0 : run.held();
    }
    run.compiled = null;
  }

  @Nullable
  private CompiledPattern find(Run run) {
    for (CompiledPattern pattern : patterns) {
      PatternModel model = pattern.model();
      if (model.version() == run.version
          && model.id().equals(run.pattern)
          && (model.key() == PatternModel.Key.SERIES) == (run.series != null)) {
        return pattern;
      }
    }
    return null;
  }
}
