package io.faultline.cep;

/**
 * A pattern of an engine, and how far it counts.
 *
 * @param dryRun its matches are marked: they are shown to a person and open no incident
 * @param share the part of all graphs that it applies to; see {@link Share}
 * @param draining it ends the partial matches that it has and begins none
 */
public record LivePattern(PatternModel model, boolean dryRun, Share share, boolean draining) {
  private static final String EXPERIMENTAL = "experimental";

  /** Applies to all graphs, and begins; it counts unless it is experimental. */
  public static LivePattern of(PatternModel model) {
    return new LivePattern(model, EXPERIMENTAL.equals(model.maturity()), Share.ALL, false);
  }

  /** The same pattern, which begins no more. */
  public LivePattern drained() {
    return new LivePattern(model, dryRun, share, true);
  }
}
