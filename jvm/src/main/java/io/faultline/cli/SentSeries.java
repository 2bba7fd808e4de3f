package io.faultline.cli;

import io.faultline.cli.JsonCommand.Lines;
import io.faultline.node.Part;
import io.faultline.node.Resolved;
import io.faultline.node.SignalRules;
import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** The series that were sent: what the rules take each for, and the names that they do not know. */
final class SentSeries {
  private static final String COUNT = "_count";
  private static final String SUM = "_sum";

  private final SignalRules rules;
  private final Map<Place, Seen> all = new LinkedHashMap<>();
  private final Map<SeriesKey, String> ruleOfTotal = new HashMap<>();

  /** A series of a node; of the buckets of a histogram, one stands for all. */
  private record Place(String graph, String node, SeriesKey key) {}

  /** Where a series was first seen, and how often. */
  private static final class Seen {
    private final int record;
    private final Resolved resolved;
    private int samples;

    Seen(int record, Resolved resolved) {
      this.record = record;
      this.resolved = resolved;
    }
  }

  /** A name that no rule knows. */
  private static final class Name {
    private final String metric;
    private final int record;
    private boolean histogram;
    private int series;
    private int samples;

    Name(String metric, int record) {
      this.metric = metric;
      this.record = record;
    }

    void add(Seen seen) {
      series++;
      samples += seen.samples;
    }
  }

  SentSeries(SignalRules rules) {
    this.rules = rules;
  }

  void add(int record, String graph, String node, SeriesKey key) {
    Resolved resolved = rules.resolve(key);
    Place place = new Place(graph, node, resolved.bucket() ? withoutBound(key) : key);
    Seen seen = all.computeIfAbsent(place, p -> new Seen(record, resolved));
    seen.samples++;
    if (seen.samples == 1 && resolved.place() != null) {
      for (Part part : resolved.parts()) {
        ruleOfTotal.putIfAbsent(part.total(), resolved.place());
      }
    }
  }

  private static SeriesKey withoutBound(SeriesKey key) {
    Map<String, String> labels = key.labelMap();
    labels.remove("le");
    return new SeriesKey(
        key.metric(),
        SeriesKey.canonical(labels),
        key.peer(),
        key.side(),
        key.kind(),
        key.signal(),
        key.unit());
  }

  /** Where the rule is written that made this total; null where none did. */
  @Nullable
  String ruleOfTotal(SeriesKey total) {
    return ruleOfTotal.get(total);
  }

  /** Writes a line per series in order of appearance, then one per name that no rule knows. */
  void write(Lines out) throws IOException {
    for (Map.Entry<Place, Seen> entry : all.entrySet()) {
      Place place = entry.getKey();
      Seen seen = entry.getValue();
      out.write(
          DecodeLines.series(seen.record, place.graph(), place.node(), place.key(), seen.resolved));
    }
    for (Name name : unmapped()) {
      out.write(
          DecodeLines.unmapped(
              name.record, name.metric, name.histogram, name.series, name.samples));
    }
  }

  /** The names with most series first. */
  private List<Name> unmapped() {
    Map<String, Name> names = new LinkedHashMap<>();
    all.forEach(
        (place, seen) -> {
          if (!seen.resolved.known() && !seen.resolved.bucket()) {
            String metric = place.key().metric();
            names.computeIfAbsent(metric, m -> new Name(m, seen.record)).add(seen);
          }
        });
    List<String> sums = names.keySet().stream().filter(name -> name.endsWith(SUM)).toList();
    sums.forEach(sum -> joinHistogram(names, sum));
    List<Name> sorted = new ArrayList<>(names.values());
    sorted.sort(Comparator.comparingInt((Name name) -> -name.series));
    return sorted;
  }

  /** A sum and a count of the same name are one histogram. */
  private static void joinHistogram(Map<String, Name> names, String sum) {
    String base = sum.substring(0, sum.length() - SUM.length());
    Name count = names.get(base + COUNT);
    if (count != null) {
      Name histogram = new Name(base, count.record);
      histogram.histogram = true;
      histogram.series = count.series;
      histogram.samples = count.samples;
      names.put(base, histogram);
      names.remove(base + COUNT);
      names.remove(sum);
    }
  }
}
