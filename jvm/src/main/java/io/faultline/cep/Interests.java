package io.faultline.cep;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.annotation.Nullable;

/** Which patterns of an engine an event can matter to, by its name; found once per name. */
final class Interests {
  /**
   * What is known of one name.
   *
   * @param reacting the patterns that have a state which can react, as bits
   * @param starts the patterns that can begin, by what all of them need
   * @param events counts the events of this name
   */
  record Interest(long[] reacting, Start[] starts, long[] events) {}

  /**
   * @param needed without it none of the patterns begins; null = each must be asked
   */
  record Start(@Nullable Predicate needed, int[] patterns) {}

  private final CompiledPattern[] patterns;
  private Interest[] byName = new Interest[16];

  Interests(CompiledPattern[] patterns) {
    this.patterns = patterns;
  }

  Interest of(Name name) {
    if (name.id() >= byName.length) {
      byName = Arrays.copyOf(byName, 2 * name.id());
    }
    Interest interest = byName[name.id()];
    if (interest == null) {
      interest = find(name);
      byName[name.id()] = interest;
    }
    return interest;
  }

  private Interest find(Name name) {
    long[] reacting = new long[(patterns.length + 63) / 64];
    long[] events = new long[1];
    Map<Object, List<Integer>> starts = new LinkedHashMap<>();
    for (CompiledPattern pattern : patterns) {
      if (!pattern.canReact(name)) {
        continue;
      }
      int i = pattern.index;
      reacting[i >> 6] |= 1L << i;
      pattern.stats().sees(events);
      Predicate needed = pattern.start().only(name);
      if (!pattern.isDraining() && pattern.start().canReact(name)) {
        starts.computeIfAbsent(needed == null ? i : needed, k -> new ArrayList<>()).add(i);
      }
    }
    Start[] all = starts.entrySet().stream().map(Interests::start).toArray(Start[]::new);
    return new Interest(reacting, all, events);
  }

  private static Start start(Map.Entry<Object, List<Integer>> entry) {
    Predicate needed = entry.getKey() instanceof Predicate predicate ? predicate : null;
    return new Start(needed, entry.getValue().stream().flatMapToInt(IntStream::of).toArray());
  }
}
