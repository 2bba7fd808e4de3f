package io.faultline.node;

import io.faultline.node.CallSource.Outcome;
import io.faultline.records.CallLabels;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.SeriesKeys;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * The sum of one counter of one edge over all that count it: instances, response codes, failed and
 * not. Where both ends of the edge count, one end's sum is taken and the other's stands by.
 */
final class EdgeTotal {
  private static final String TOTAL = "total";
  private static final String FAILED_TOTAL = "failed_total";
  private static final int PRUNED_FROM = 8;
  private static final int FORGOTTEN_INTERVALS = 10;

  /** Of keys of totals. */
  static final Comparator<SeriesKey> ORDER =
      Comparator.comparing(SeriesKey::peer, Comparator.nullsFirst(Comparator.naturalOrder()))
          .thenComparing(SeriesKey::metric)
          .thenComparing(SeriesKey::signal);

  /** Metric, peer and signal of the sum; no labels, no unit, as a counter of no side. */
  final SeriesKey key;

  /** Not written: where the sums go, looked up when first needed. */
  @Nullable Series callsSeries;

  @Nullable Series errorsSeries;

  /** Of the sum, as a part has it. */
  @Nullable String unit;

  /** By labels without the outcome, in order, so that sums do not depend on order of arrival. */
  private final Map<String, CallSource> server = new TreeMap<>();

  private final Map<String, CallSource> client = new TreeMap<>();

  /** Event time of the last report of any source, ms. */
  private long time = CallSource.NEVER;

  /** Whether there was a sum already: a source that is still unknown no longer holds it up. */
  private boolean begun;

  /** Sums at one event time, per second; NaN = not counted. */
  record Sum(double calls, double errors) {}

  EdgeTotal(SeriesKey key) {
    this.key = key;
  }

  /** The key of the total that a series is a part of. */
  static SeriesKey keyOf(SeriesKey part, Resolved resolved) {
    boolean told = outcome(part, resolved) == Outcome.TOLD;
    String metric = told ? callsOf(part.metric()) : part.metric();
    Signal signal = told ? Signal.TRAFFIC : resolved.signal();
    return new SeriesKey(metric, "", part.peer(), Side.UNSAID, Kind.COUNTER, signal, null);
  }

  /** What a part counts. */
  static Outcome outcome(SeriesKey part, Resolved resolved) {
    if (resolved.signal() == Signal.ERRORS) {
      return callsOf(part.metric()) == null ? Outcome.ANY : Outcome.TOLD;
    }
    String failed = part.label(CallLabels.FAILED);
    if (failed == null || resolved.signal() != Signal.TRAFFIC || resolved.role() != Role.PLAIN) {
      return Outcome.ANY;
    }
    return failed.equals("true") ? Outcome.FAILED : Outcome.GOOD;
  }

  /** The counter of all calls beside one of failed calls; null where the name says no such. */
  @Nullable
  private static String callsOf(String metric) {
    int end = metric.length() - FAILED_TOTAL.length();
    if (end < 1 || !metric.substring(end).replace('.', '_').equals(FAILED_TOTAL)) {
      return null;
    }
    return metric.substring(0, end) + TOTAL;
  }

  /** The series of the sum. */
  SeriesKey callsKey() {
    return new SeriesKey(
        key.metric(), "", key.peer(), Side.UNSAID, Kind.COUNTER, key.signal(), unit);
  }

  /** The series of failed calls beside the sum: X_failed_total for X_total. */
  SeriesKey errorsKey() {
    String metric = key.metric();
    char separator = metric.indexOf('.') < 0 ? '_' : '.';
    String base =
        metric.endsWith(separator + TOTAL)
            ? metric.substring(0, metric.length() - TOTAL.length())
            : metric + separator;
    String name = base + FAILED_TOTAL.replace('_', separator);
    return new SeriesKey(name, "", key.peer(), Side.UNSAID, Kind.COUNTER, Signal.ERRORS, unit);
  }

  /** The source that a part belongs to, a new one if need be. */
  CallSource source(SeriesKey part) {
    Map<String, String> labels = part.labelMap();
    labels.keySet().removeAll(CallLabels.OUTCOME);
    Map<String, CallSource> side = part.side() == Side.CLIENT ? client : server;
    return side.computeIfAbsent(SeriesKey.canonical(labels), l -> new CallSource());
  }

  /** A part of this source has a point at this event time. */
  void begin(CallSource source, long at) {
    source.begin(at);
    time = at;
  }

  /** Event time of the last report of any source, ms. */
  long time() {
    return time;
  }

  /**
   * The sums at the time of the last report; null where the end that counts did not report then, or
   * is too new to be summed.
   *
   * @param counted which end counts where both do
   */
  @Nullable
  Sum sum(Side counted) {
    long usual = usual(server, usual(client, 0));
    Map<String, CallSource> first = counted == Side.CLIENT ? client : server;
    Map<String, CallSource> chosen =
        first.values().stream().anyMatch(source -> source.alive(time, usual))
            ? first
            : first == server ? client : server;
    Sum sum = sum(chosen, usual);
    begun |= sum != null;
    forget(server, usual);
    forget(client, usual);
    return sum;
  }

  @Nullable
  private Sum sum(Map<String, CallSource> sources, long usual) {
    double calls = 0;
    double errors = 0;
    boolean counts = false;
    boolean tellsErrors = false;
    boolean reported = false;
    boolean any = false;
    for (CallSource source : sources.values()) {
      if (!source.alive(time, usual)) {
        continue;
      }
      reported |= source.time() == time;
      if (!source.known()) {
        if (!begun) {
          return null;
        }
        continue;
      }
      any = true;
      counts |= source.counts();
      tellsErrors |= source.tellsErrors();
      calls += source.calls();
      errors += source.errors();
    }
    if (!reported || !any) {
      return null;
    }
    return new Sum(counts ? calls : Double.NaN, tellsErrors ? errors : Double.NaN);
  }

  /** The shortest time between reports; 0 = not known. */
  private static long usual(Map<String, CallSource> sources, long otherwise) {
    long shortest = otherwise;
    for (CallSource source : sources.values()) {
      long interval = source.interval();
      shortest = interval > 0 && (shortest == 0 || interval < shortest) ? interval : shortest;
    }
    return shortest;
  }

  /** Drops sources that have long been silent, once there are many. */
  private void forget(Map<String, CallSource> sources, long usual) {
    if (sources.size() > PRUNED_FROM && usual > 0) {
      sources
          .values()
          .removeIf(
              source -> {
                source.removed = time - source.time() > FORGOTTEN_INTERVALS * usual;
                return source.removed;
              });
    }
  }

  /** Lets the parts look for another total. */
  void remove() {
    server.values().forEach(source -> source.removed = true);
    client.values().forEach(source -> source.removed = true);
  }

  EdgeTotal copy() {
    EdgeTotal copy = new EdgeTotal(key);
    server.forEach((labels, source) -> copy.server.put(labels, source.copy()));
    client.forEach((labels, source) -> copy.client.put(labels, source.copy()));
    copy.unit = unit;
    copy.time = time;
    copy.begun = begun;
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    SeriesKeys.write(callsKey(), out);
    out.writeLong(time);
    out.writeBoolean(begun);
    write(server, out);
    write(client, out);
  }

  private static void write(Map<String, CallSource> sources, DataOutputView out)
      throws IOException {
    out.writeInt(sources.size());
    for (Map.Entry<String, CallSource> source : sources.entrySet()) {
      StringValue.writeString(source.getKey(), out);
      source.getValue().write(out);
    }
  }

  static EdgeTotal read(DataInputView in) throws IOException {
    SeriesKey calls = SeriesKeys.read(in);
    EdgeTotal total =
        new EdgeTotal(
            new SeriesKey(
                calls.metric(), "", calls.peer(), Side.UNSAID, Kind.COUNTER, calls.signal(), null));
    total.unit = calls.unit();
    total.time = in.readLong();
    total.begun = in.readBoolean();
    read(total.server, in);
    read(total.client, in);
    return total;
  }

  private static void read(Map<String, CallSource> sources, DataInputView in) throws IOException {
    for (int i = in.readInt(); i > 0; i--) {
      sources.put(StringValue.readString(in), CallSource.read(in));
    }
  }
}
