package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class SignalRulesTest {
  private static SignalRules rules(String json) throws Exception {
    return new SignalRules(Rule.parseAll(new ObjectMapper().readTree(json)));
  }

  @Test
  void theFirstRuleThatMatchesWins() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "jvm_.*", "signal": "saturation"},
             {"metric": "jvm_threads", "signal": "cpu", "unit": "%"}]\
            """);
    Resolved resolved = rules.resolve(SeriesKey.of("jvm_threads"));
    assertEquals(Signal.SATURATION, resolved.signal());
    assertEquals(Kind.GAUGE, resolved.kind());
  }

  @Test
  void aRuleMustMatchTheWholeNameAndItsLabels() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "cpu", "labels": {"mode": "user|system"}, "signal": "cpu"}]\
            """);
    assertEquals(Signal.OTHER, rules.resolve(SeriesKey.of("cpu")).signal());
    assertEquals(Signal.OTHER, rules.resolve(labelled("cpu2", "user")).signal());
    assertEquals(Signal.OTHER, rules.resolve(labelled("cpu", "idle")).signal());
    assertEquals(Signal.CPU, rules.resolve(labelled("cpu", "system")).signal());
  }

  private static SeriesKey labelled(String metric, String mode) {
    String labels = SeriesKey.canonical(Map.of("mode", mode));
    return new SeriesKey(metric, labels, null, Side.UNSAID, Kind.UNSAID, null, null);
  }

  @Test
  void whatTheSampleDeclaresWinsFieldByField() throws Exception {
    SignalRules rules =
        rules("[{\"metric\": \"m\", \"signal\": \"cpu\", \"unit\": \"%\", \"kind\": \"counter\"}]");
    SeriesKey declared = new SeriesKey("m", "", null, Side.UNSAID, Kind.GAUGE, Signal.MEMORY, null);
    Resolved resolved = rules.resolve(declared);
    assertEquals(Signal.MEMORY, resolved.signal());
    assertEquals(Kind.GAUGE, resolved.kind());
    assertEquals("%", resolved.unit());
    assertEquals(0.01, resolved.factor());
  }

  @Test
  void aSeriesWithoutARuleIsOtherAndSaysSo() throws Exception {
    Resolved resolved = rules("[]").resolve(SeriesKey.of("m"));
    assertEquals(Signal.OTHER, resolved.signal());
    assertFalse(resolved.known());
  }

  @Test
  void aRuleCanDropASeries() throws Exception {
    assertTrue(rules("[{\"metric\": \"m\", \"drop\": true}]").resolve(SeriesKey.of("m")).dropped());
  }

  /** The kinds of case counter-kind-from-name, as a rules file says them. */
  @Test
  void kindsComeFromNamesAndTheUsersRuleComesFirst() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "jvm_threads_count", "kind": "gauge"},
             {"metric": ".*_created|process_start_time_seconds", "kind": "gauge"},
             {"metric": ".*_(total|count|sum|bucket)", "kind": "counter"}]\
            """);
    assertEquals(Kind.COUNTER, rules.resolve(SeriesKey.of("http_requests_total")).kind());
    assertEquals(Kind.GAUGE, rules.resolve(SeriesKey.of("process_start_time_seconds")).kind());
    assertEquals(Kind.GAUGE, rules.resolve(SeriesKey.of("node_memory_MemFree_bytes")).kind());
    assertEquals(Kind.COUNTER, rules.resolve(SeriesKey.of("rpc_duration_seconds_count")).kind());
    assertEquals(Kind.COUNTER, rules.resolve(SeriesKey.of("rpc_duration_seconds_sum")).kind());
    assertEquals(Kind.GAUGE, rules.resolve(SeriesKey.of("jvm_threads_count")).kind());
    assertEquals(Kind.GAUGE, rules.resolve(SeriesKey.of("rpc_duration_seconds_created")).kind());
  }

  @Test
  void aHistogramsCountIsTrafficAndItsMeanALatency() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "rpc_duration.*", "signal": "latency", "unit": "s"}]\
            """);
    Resolved count = rules.resolve(Given.counter("rpc_duration_count"));
    assertEquals(Signal.TRAFFIC, count.signal());
    assertEquals("1/s", count.unit());
    assertEquals(Role.SUM, rules.resolve(Given.counter("rpc_duration_sum")).role());
    Resolved mean = rules.resolveDerived(SeriesKey.of("rpc_duration_mean"), Role.MEAN);
    assertEquals(Signal.LATENCY, mean.signal());
    assertEquals("s", mean.unit());
  }

  @Test
  void aRuleMaySpeakOfOneDerivedValueOnly() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "rpc", "signal": "errors", "as": "rate"},
             {"metric": "rpc", "signal": "saturation", "as": "p95"}]\
            """);
    assertEquals(Signal.ERRORS, rules.resolve(Given.counter("rpc_count")).signal());
    assertEquals(
        Signal.SATURATION, rules.resolveDerived(SeriesKey.of("rpc_p95"), Role.P95).signal());
    assertEquals(Signal.OTHER, rules.resolveDerived(SeriesKey.of("rpc_mean"), Role.MEAN).signal());
  }

  @Test
  void aHistogramsMeanTakesTheFirstRuleForItsSum() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "rpc_ms_(count|sum|bucket)", "signal": "latency", "unit": "ms"},
             {"metric": ".*_ms_.*", "signal": "saturation", "unit": "s"}]\
            """);
    Resolved mean = rules.resolveDerived(SeriesKey.of("rpc_ms_mean"), Role.MEAN);
    assertEquals(Signal.LATENCY, mean.signal());
    assertEquals(0.001, mean.factor());
  }

  @Test
  void anUnknownSignalIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> rules("[{\"metric\": \"m\", \"signal\": \"cpus\"}]"));
  }

  @Test
  void aRuleWithUnderscoresMatchesNamesWithDots() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "db_pool_size", "labels": {"pool_name": "main"}, "signal": "saturation"}]\
            """);
    String labels = SeriesKey.canonical(Map.of("pool.name", "main", "pool", "x"));
    SeriesKey dotted =
        new SeriesKey("db.pool.size", labels, null, Side.UNSAID, Kind.UNSAID, null, null);
    assertEquals(Signal.SATURATION, rules.resolve(dotted).signal());
    assertFalse(rules.resolve(SeriesKey.of("db.pool.size")).known());
  }

  @Test
  void aRuleWithoutSignalCorrectsTheNext() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "jvm_threads_count", "kind": "gauge", "place": "mine:1"},
             {"metric": "jvm_.*", "unit": "%"},
             {"metric": "jvm_.*_count", "signal": "saturation", "unit": "1", "kind": "counter",
              "place": "shipped:9"}]\
            """);
    Resolved resolved = rules.resolve(SeriesKey.of("jvm_threads_count"));
    assertEquals(Signal.SATURATION, resolved.signal());
    assertEquals(Kind.GAUGE, resolved.kind());
    assertEquals("%", resolved.unit());
    assertEquals("mine:1, shipped:9", resolved.place());
  }

  @Test
  void aRuleForAHistogramIsOneForItsParts() throws Exception {
    SignalRules rules =
        rules(
            "[{\"metric\": \"rpc\", \"signal\": \"latency\", \"unit\": \"ms\", \"kind\":"
                + " \"histogram\"}]");
    assertEquals(Signal.TRAFFIC, rules.resolve(SeriesKey.of("rpc_count")).signal());
    assertEquals(Role.SUM, rules.resolve(SeriesKey.of("rpc_sum")).role());
    Resolved quantile = rules.resolve(SeriesKey.of("rpc"));
    assertEquals(Kind.GAUGE, quantile.kind());
    assertEquals(Signal.LATENCY, quantile.signal());
    Resolved p95 = rules.resolveDerived(SeriesKey.of("rpc_p95"), Role.P95);
    assertEquals(0.001, p95.factor());
    assertFalse(rules.resolve(SeriesKey.of("rpc_total")).known());
  }

  @Test
  void eventsOfAHistogramOfAmountsAreNoAmount() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "body_size", "signal": "network", "unit": "By", "kind": "histogram"},
             {"metric": "bytes_in_count", "signal": "network", "unit": "By", "kind": "counter"}]\
            """);
    assertEquals(Signal.OTHER, rules.resolve(SeriesKey.of("body_size_count")).signal());
    Resolved counter = rules.resolve(SeriesKey.of("bytes_in_count"));
    assertEquals(Signal.NETWORK, counter.signal());
    assertEquals("By/s", counter.unit());
    assertEquals(Role.PLAIN, counter.role());
  }

  /** Telegraf puts its input's name before, or the field's name behind, what Prometheus sent. */
  @Test
  void namesThatTelegrafLengthenedAreLookedUpWithout() throws Exception {
    SignalRules rules =
        rules(
            """
            [{"metric": "rpc", "signal": "latency", "unit": "s", "kind": "histogram"},
             {"metric": "jobs_total", "signal": "traffic", "unit": "1", "kind": "counter"},
             {"metric": "prometheus_sd", "signal": "saturation"},
             {"metric": ".*_total", "kind": "counter"}]\
            """);
    assertEquals(Signal.TRAFFIC, rules.resolve(SeriesKey.of("prometheus_rpc_count")).signal());
    assertEquals(Signal.TRAFFIC, rules.resolve(SeriesKey.of("prometheus_jobs_total")).signal());
    assertEquals(Kind.COUNTER, rules.resolve(SeriesKey.of("jobs_total_counter")).kind());
    assertEquals(Signal.SATURATION, rules.resolve(SeriesKey.of("prometheus_sd")).signal());
    assertFalse(rules.resolve(SeriesKey.of("other_value")).known());
  }

  @Test
  void whatOnlyHasAKindIsNotKnown() throws Exception {
    SignalRules rules = rules("[{\"metric\": \".*_count\", \"kind\": \"counter\"}]");
    Resolved resolved = rules.resolve(SeriesKey.of("things_count"));
    assertFalse(resolved.known());
    assertEquals(Signal.OTHER, resolved.signal());
    assertEquals(Kind.COUNTER, resolved.kind());
  }

  @Test
  void aWrongExpressionOrKeyIsRefusedWithItsPlace() {
    IllegalArgumentException wrong =
        assertThrows(
            IllegalArgumentException.class,
            () -> rules("[{\"metric\": \"(\", \"signal\": \"cpu\", \"place\": \"mine.yaml:3\"}]"));
    assertTrue(wrong.getMessage().startsWith("mine.yaml:3: '('"), wrong.getMessage());
    assertThrows(
        IllegalArgumentException.class, () -> rules("[{\"metric\": \"m\", \"sinal\": \"cpu\"}]"));
  }
}
