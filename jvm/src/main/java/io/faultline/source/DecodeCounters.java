package io.faultline.source;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counters of one source: {@code faultline.decode.records, samples, edges, calls,
 * deadLetters.<reason>, ignored.<reason>}.
 */
final class DecodeCounters {
  private final MetricGroup deadLetterGroup;
  private final MetricGroup ignoredGroup;
  private final Counter records;
  private final Counter samples;
  private final Counter edges;
  private final Counter calls;
  private final Map<String, Counter> deadLetters = new HashMap<>();
  private final Map<String, Counter> ignored = new HashMap<>();

  DecodeCounters(MetricGroup group) {
    MetricGroup own = group.addGroup("faultline").addGroup("decode");
    this.records = own.counter("records");
    this.samples = own.counter("samples");
    this.edges = own.counter("edges");
    this.calls = own.counter("calls");
    this.deadLetterGroup = own.addGroup("deadLetters");
    this.ignoredGroup = own.addGroup("ignored");
  }

  void record() {
    records.inc();
  }

  void sample() {
    samples.inc();
  }

  void edge() {
    edges.inc();
  }

  void call() {
    calls.inc();
  }

  void deadLetter(String reason) {
    deadLetters.computeIfAbsent(reason, deadLetterGroup::counter).inc();
  }

  void ignored(String reason) {
    ignored.computeIfAbsent(reason, ignoredGroup::counter).inc();
  }
}
