package io.faultline.source;

import io.faultline.decode.Decoder;
import io.faultline.decode.FutureGuard;
import io.faultline.decode.RawRecord;
import io.faultline.records.DeadLetter;
import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Turns records into samples, edges and dead letters. A record gives at most one dead letter per
 * reason, with all its bytes; the detail tells the first case and how many more there are.
 */
final class RecordReader implements Decoder.Output {
  private final Decoder decoder;
  private final String format;
  private final FutureGuard guard;
  private final DecodeCounters counters;
  private final SampleSink samples;
  private final Map<String, Refusal> refusals = new LinkedHashMap<>();
  private RawRecord record;
  private Consumer<Decoded> out;

  /**
   * A reader.
   *
   * @param maxFutureMs a time further ahead of the record's timestamp is refused; a record without
   *     timestamp is not checked
   */
  RecordReader(
      Decoder decoder,
      String format,
      long maxFutureMs,
      DecodeCounters counters,
      SampleSink samples) {
    this.decoder = decoder;
    this.format = format;
    this.guard = new FutureGuard(this, maxFutureMs);
    this.counters = counters;
    this.samples = samples;
  }

  /** Reads one record; edges and dead letters go to {@code out}, samples to the sample sink. */
  void read(RawRecord record, Consumer<Decoded> out) {
    this.record = record;
    this.out = out;
    counters.record();
    guard.begin(record);
    decoder.decode(record, guard);
    refusals.forEach((reason, refusal) -> out.accept(deadLetterOf(reason, refusal)));
    refusals.clear();
    this.record = null;
    this.out = null;
  }

  @Override
  public void sample(
      String graph, String node, long time, SeriesKey key, double value, long start) {
    counters.sample();
    samples.sample(graph, node, time, key, value, start);
  }

  @Override
  public void edge(Edge edge) {
    counters.edge();
    out.accept(Decoded.of(edge));
  }

  @Override
  public void call(Edge edge) {
    edge(edge);
  }

  @Override
  public void deadLetter(String reason, String detail) {
    refusals.computeIfAbsent(reason, r -> new Refusal(detail)).count++;
  }

  @Override
  public void ignored(String reason) {
    counters.ignored(reason);
  }

  private Decoded deadLetterOf(String reason, Refusal refusal) {
    counters.deadLetter(reason);
    String more = refusal.count > 1 ? " (and " + (refusal.count - 1) + " more)" : "";
    return Decoded.of(
        new DeadLetter(
            record.topic(),
            record.partition(),
            record.offset(),
            record.timestamp(),
            record.key(),
            record.value(),
            format,
            reason,
            refusal.first + more));
  }

  /** Where samples go. */
  interface SampleSink {
    void sample(String graph, String node, long time, SeriesKey key, double value, long start);
  }

  /** What was refused for one reason. */
  private static final class Refusal {
    private final String first;
    private int count;

    Refusal(String first) {
      this.first = first;
    }
  }
}
