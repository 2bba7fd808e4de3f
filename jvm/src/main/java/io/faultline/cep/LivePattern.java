package io.faultline.cep;

/**
 * A pattern of an engine, and how far it counts.
 *
 * @param dryRun its matches are marked: they are shown to a person and open no incident
 * @param share the part of all graphs that it applies to; see {@link Share}
 * @param draining it ends the partial matches that it has and begins none
 */
public record LivePattern(PatternModel model, boolean dryRun, Share share, boolean draining) {
  /** Applies to all graphs, counts, and begins. */
  public static LivePattern of(PatternModel model) {
    return new LivePattern(model, false, Share.ALL, false);
  }

  /** The same pattern, which begins no more. */
  public LivePattern drained() {
    return new LivePattern(model, dryRun, share, true);
  }
}
