package io.faultline.source;

import io.faultline.decode.Decoder;
import io.faultline.decode.FutureGuard;
import io.faultline.decode.RawRecord;
import io.faultline.decode.Reasons;
import io.faultline.records.DeadLetter;
import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns records into samples, edges and dead letters. A record gives at most one dead letter per
 * reason, with all its bytes; the detail tells the first case and how many more there are.
 */
final class RecordReader implements Decoder.Output {
  private static final Logger LOG = LoggerFactory.getLogger(RecordReader.class);
  private static final int LONGEST_DETAIL = 500;

  private final Decoder decoder;
  private final String format;
  private final FutureGuard guard;
  private final DecodeCounters counters;
  private final SampleSink samples;
  private final Map<String, Refusal> refusals = new LinkedHashMap<>();
  private final List<Edge> edges = new ArrayList<>();
  private RawRecord record;

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
    counters.record();
    guard.begin(record);
    decode(record);
    edges.forEach(edge -> out.accept(Decoded.of(edge)));
    edges.clear();
    refusals.forEach((reason, refusal) -> out.accept(deadLetterOf(reason, refusal)));
    refusals.clear();
    this.record = null;
  }

  /** A decoder must not throw; if one does all the same, the record is refused and the job runs. */
  private void decode(RawRecord record) {
    try {
      decoder.decode(record, guard);
    } catch (RuntimeException e) {
      LOG.warn("stage=decode topic={} offset={} fault", record.topic(), record.offset(), e);
      deadLetter(Reasons.FAULT, e.toString());
    }
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
    edges.add(edge);
  }

  /** The series that names the call has its caller as peer: the node tells of the edge. */
  @Override
  public void call(Edge edge) {
    counters.call();
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
    String chosen = decoder.chosen();
    String more = refusal.count > 1 ? " (and " + (refusal.count - 1) + " more)" : "";
    return Decoded.of(
        new DeadLetter(
            record.topic(),
            record.partition(),
            record.offset(),
            record.timestamp(),
            record.key(),
            record.value(),
            chosen == null ? format : chosen,
            reason,
            cut(refusal.first) + more,
            record.headers().all()));
  }

  private static String cut(String detail) {
    return detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL) + "...";
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
