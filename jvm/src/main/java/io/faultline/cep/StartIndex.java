package io.faultline.cep;

import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Which patterns can start on a series, by its metric and signal. */
final class StartIndex {
  private static final int REMEMBERED = 65_536;

  private record Name(String metric, Signal signal) {}

  private final CompiledPattern[] patterns;
  private final Map<Name, int[]> known = new HashMap<>();

  StartIndex(CompiledPattern[] patterns) {
    this.patterns = patterns;
  }

  /** Positions of the patterns; found once per series. */
  int[] candidates(SeriesRef series) {
    if (series.candidatesOf != patterns) {
      series.candidates = find(series.key().metric(), series.signal());
      series.candidatesOf = patterns;
    }
    return series.candidates;
  }

  private int[] find(String metric, Signal signal) {
    if (known.size() >= REMEMBERED) {
      known.clear();
    }
    return known.computeIfAbsent(
        new Name(metric, signal),
        name ->
            IntStream.range(0, patterns.length)
                .filter(i -> patterns[i].selector().accepts(metric, signal))
                .toArray());
  }
}
