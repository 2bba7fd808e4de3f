package io.faultline.decode;

import io.faultline.records.Edge;
import io.faultline.records.Exemplar;
import io.faultline.records.SeriesKey;

/**
 * Refuses what lies too far ahead of its record's timestamp: one wrong clock would make everything
 * else late. The record's timestamp and not the wall clock decides, so that a replay decides alike.
 */
public final class FutureGuard implements Decoder.Output {
  private final Decoder.Output out;
  private final long maxFutureMs;
  private long timestamp = RawRecord.NO_TIMESTAMP;
  private boolean accepted;

  public FutureGuard(Decoder.Output out, long maxFutureMs) {
    this.out = out;
    this.maxFutureMs = maxFutureMs;
  }

  /** Called before each record; without a timestamp nothing of it is refused. */
  public void begin(RawRecord record) {
    timestamp = record.timestamp();
  }

  @Override
  public void sample(
      String graph, String node, long time, SeriesKey key, double value, long start) {
    accepted = accepts(time);
    if (accepted) {
      out.sample(graph, node, time, key, value, start);
    }
  }

  @Override
  public void exemplar(Exemplar exemplar) {
    if (accepted) {
      out.exemplar(exemplar);
    }
  }

  @Override
  public void edge(Edge edge) {
    if (accepts(edge.time())) {
      out.edge(edge);
    }
  }

  /** The sample that names the call is told of; the call itself is not told twice. */
  @Override
  public void call(Edge edge) {
    if (timestamp == RawRecord.NO_TIMESTAMP || edge.time() - timestamp <= maxFutureMs) {
      out.call(edge);
    }
  }

  private boolean accepts(long time) {
    if (timestamp == RawRecord.NO_TIMESTAMP || time - timestamp <= maxFutureMs) {
      return true;
    }
    out.deadLetter(
        Reasons.BAD_TIME,
        "time "
            + time
            + " is "
            + (time - timestamp)
            + " ms ahead of the record's timestamp, more than "
            + maxFutureMs);
    return false;
  }

  @Override
  public void deadLetter(String reason, String detail) {
    out.deadLetter(reason, detail);
  }

  @Override
  public void ignored(String reason) {
    out.ignored(reason);
  }
}
