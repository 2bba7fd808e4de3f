package io.faultline.decode;

import io.faultline.records.Edge;
import io.faultline.records.Exemplar;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.List;

/** Everything a decoder hands on. */
final class Collected implements Decoder.Output {
  record Sample(String graph, String node, long time, SeriesKey key, double value, long start) {}

  record Refused(String reason, String detail) {}

  final List<Sample> samples = new ArrayList<>();
  final List<Exemplar> exemplars = new ArrayList<>();
  final List<Edge> edges = new ArrayList<>();
  final List<Edge> calls = new ArrayList<>();
  final List<Refused> deadLetters = new ArrayList<>();
  final List<String> ignored = new ArrayList<>();

  static Collected of(Decoder decoder, byte[] value) {
    Collected out = new Collected();
    decoder.decode(record(value), out);
    return out;
  }

  static RawRecord record(byte[] value) {
    return new RawRecord("t", 0, 0, RawRecord.NO_TIMESTAMP, null, value);
  }

  List<String> reasons() {
    return deadLetters.stream().map(Refused::reason).toList();
  }

  /** The values of all samples of a metric, in order. */
  List<Double> values(String metric) {
    return samples.stream()
        .filter(s -> s.key().metric().equals(metric))
        .map(Sample::value)
        .toList();
  }

  Sample sample(String metric) {
    List<Sample> found = samples.stream().filter(s -> s.key().metric().equals(metric)).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " samples of " + metric + " in " + samples);
    }
    return found.get(0);
  }

  @Override
  public void sample(
      String graph, String node, long time, SeriesKey key, double value, long start) {
    samples.add(new Sample(graph, node, time, key, value, start));
  }

  @Override
  public void exemplar(Exemplar exemplar) {
    exemplars.add(exemplar);
  }

  @Override
  public void edge(Edge edge) {
    edges.add(edge);
  }

  /** Once, however many series name the call. */
  @Override
  public void call(Edge edge) {
    if (!calls.contains(edge)) {
      calls.add(edge);
    }
  }

  @Override
  public void deadLetter(String reason, String detail) {
    deadLetters.add(new Refused(reason, detail));
  }

  @Override
  public void ignored(String reason) {
    ignored.add(reason);
  }
}
