package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.cep.SampleEvent;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class TotalsTest {
  private static final long T0 = Given.T0;
  private static final long TICK = Given.TICK;
  private static final String REQUESTS =
      """
      {"metric": "requests_total", "signal": "traffic", "unit": "1", "kind": "counter",
       "sum": ["code"], "also": [{"signal": "errors", "where": [{"code": "5.."}]}]}\
      """;
  private static final SeriesKey OK = counter("requests_total", Map.of("code", "200"));
  private static final SeriesKey BAD = counter("requests_total", Map.of("code", "503"));
  private static final SeriesKey WORSE = counter("requests_total", Map.of("code", "500"));

  private final Recorded out = new Recorded();
  private NodeState state = Given.state();
  private NodeProcessor processor = processor(REQUESTS);

  private static NodeProcessor processor(String... rules) {
    return new NodeProcessor(Given.config(Given.rules(rules)));
  }

  private static SeriesKey counter(String metric, Map<String, String> labels) {
    return key(metric, labels, Kind.COUNTER);
  }

  private static SeriesKey key(String metric, Map<String, String> labels, Kind kind) {
    String canonical = SeriesKey.canonical(labels);
    return new SeriesKey(metric, canonical, "web", Side.SERVER, kind, null, null);
  }

  private void step(int tick, Layout layout, double... values) {
    processor.step(state, Given.block(T0 + tick * TICK, layout, values), out);
  }

  private void end() {
    processor.advance(state, Long.MAX_VALUE, out);
  }

  @Test
  void trafficIsTheSumOverAllCodesAndErrorsTheBadOnes() {
    Layout all = Layout.of(OK, BAD, WORSE);
    step(0, all, 0, 0, 0);
    step(1, all, 100, 10, 5);
    step(2, all, 200, 40, 10);
    end();
    assertEquals(List.of("10=11.5", "20=13.5"), out.values("requests_total", T0));
    assertEquals(List.of("10=1.5", "20=3.5"), out.values("requests_total_errors", T0));
    assertEquals(4, out.samples.size(), "the parts are not shown");
    SampleEvent traffic = out.samples.get(0);
    assertEquals(Signal.TRAFFIC, traffic.series().signal());
    assertEquals("1/s", traffic.series().unit());
    assertEquals("web", traffic.series().key().peer());
    assertEquals(Side.SERVER, traffic.series().key().side());
    assertEquals("", traffic.series().key().labels());
    assertEquals(Signal.ERRORS, out.samples.get(1).series().signal());
  }

  /** Counters of errors often begin to exist with the first error. */
  @Test
  void errorsAreZeroWhileNoBadCodeWasSeen() {
    step(0, Layout.of(OK), 0);
    step(1, Layout.of(OK), 100);
    step(2, Layout.of(OK, BAD), 200, 5);
    step(3, Layout.of(OK, BAD), 300, 15);
    end();
    assertEquals(List.of("10=0.0", "20=0.0", "30=1.0"), out.values("requests_total_errors", T0));
    assertEquals(List.of("10=10.0", "20=10.0", "30=11.0"), out.values("requests_total", T0));
  }

  @Test
  void aPartThatMissesOnePointStillCounts() {
    Layout all = Layout.of(OK, BAD);
    step(0, all, 0, 0);
    step(1, all, 100, 10);
    step(2, Layout.of(OK), 200);
    step(3, Layout.of(OK), 300);
    end();
    assertEquals(List.of("10=11.0", "20=11.0", "30=10.0"), out.values("requests_total", T0));
  }

  @Test
  void partsThatComeAtTimesOfTheirOwnAreAddedUp() {
    long half = TICK / 2;
    for (int i = 0; i < 3; i++) {
      long time = T0 + i * TICK;
      processor.step(state, Given.block(time, Layout.of(OK), 100.0 * i), out);
      processor.step(state, Given.block(time + half, Layout.of(BAD), 10.0 * i), out);
    }
    end();
    assertEquals(
        List.of("10=10.0", "15=11.0", "20=11.0", "25=11.0"), out.values("requests_total", T0));
  }

  /** A delta that does not report has not grown. */
  @Test
  void aSilentDeltaIsNothing() {
    SeriesKey ok = key("requests_total", Map.of("code", "200"), Kind.DELTA);
    SeriesKey bad = key("requests_total", Map.of("code", "503"), Kind.DELTA);
    step(0, Layout.of(ok, bad), 1, 1);
    step(1, Layout.of(ok, bad), 100, 10);
    step(2, Layout.of(ok), 100);
    end();
    assertEquals(List.of("10=1.0", "20=0.0"), out.values("requests_total_errors", T0));
    assertEquals(List.of("10=11.0", "20=10.0"), out.values("requests_total", T0));
  }

  @Test
  void seriesThatDifferInOtherLabelsAreTotalsOfTheirOwn() {
    SeriesKey get = counter("requests_total", Map.of("code", "200", "route", "/a"));
    SeriesKey post = counter("requests_total", Map.of("code", "200", "route", "/b"));
    Layout all = Layout.of(get, post);
    step(0, all, 0, 0);
    step(1, all, 10, 20);
    end();
    assertEquals(List.of("10=1.0", "10=2.0"), out.values("requests_total", T0));
  }

  @Test
  void aSeriesWithoutTheLabelStandsForItself() {
    SeriesKey plain = counter("requests_total", Map.of());
    step(0, Layout.of(plain), 0);
    step(1, Layout.of(plain), 10);
    end();
    assertEquals(List.of("10=1.0"), out.values("requests_total", T0));
    assertEquals(List.of(), out.values("requests_total_errors", T0));
    assertEquals(Signal.TRAFFIC, out.samples.get(0).series().signal());
  }

  @Test
  void whatASampleDeclaresIsNotAddedUp() {
    SeriesKey declared =
        new SeriesKey(
            "requests_total", OK.labels(), null, Side.UNSAID, Kind.COUNTER, Signal.OTHER, null);
    step(0, Layout.of(declared), 0);
    step(1, Layout.of(declared), 10);
    end();
    assertEquals(Signal.OTHER, out.samples.get(0).series().signal());
    assertEquals(1, out.samples.size());
  }

  @Test
  void theCountOfAHistogramIsAddedUpToo() {
    processor =
        processor(
            """
            {"metric": "http_duration", "signal": "latency", "unit": "ms", "kind": "histogram",
             "sum": ["http.status"],
             "also": [{"signal": "errors", "where": [{"http.status": "5.."}, {"error": ".+"}]}]}\
            """);
    SeriesKey ok = key("http_duration_count", Map.of("http_status", "200"), Kind.UNSAID);
    SeriesKey bad = key("http_duration_count", Map.of("http_status", "500"), Kind.UNSAID);
    SeriesKey cut =
        key("http_duration_count", Map.of("http_status", "200", "error", "cut"), Kind.UNSAID);
    step(0, Layout.of(ok, bad, cut), 0, 0, 0);
    step(1, Layout.of(ok, bad, cut), 100, 10, 20);
    end();
    assertEquals(List.of("10=11.0", "10=2.0"), out.values("http_duration_count", T0));
    assertEquals(List.of("10=1.0", "10=2.0"), out.values("http_duration_errors", T0));
  }

  @Test
  void whatIsUsedIsTheTotalLessWhatIsLeft() {
    processor =
        processor(
            combine("mem_all", "mem_used", "memory", "total"),
            combine("mem_free", "mem_used", "memory", "less"));
    Layout both = Layout.of(SeriesKey.of("mem_all"), SeriesKey.of("mem_free"));
    step(0, both, 100, 30);
    step(1, both, 100, 10);
    step(2, Layout.of(SeriesKey.of("mem_all")), 100);
    end();
    assertEquals(List.of("0=70.0", "10=90.0"), out.values("mem_used", T0));
    assertEquals(Signal.MEMORY, out.samples.get(0).series().signal());
    assertEquals("By", out.samples.get(0).series().unit());
  }

  @Test
  void aShareIsThePartsByTheWhole() {
    processor =
        processor(
            combine("ready", "ready_ratio", "availability", "part"),
            combine("wanted", "ready_ratio", "availability", "whole"));
    Layout both = Layout.of(SeriesKey.of("ready"), SeriesKey.of("wanted"));
    step(0, both, 3, 3);
    step(1, both, 1, 4);
    step(2, both, 0, 0);
    step(3, Layout.of(SeriesKey.of("ready")), 1);
    end();
    assertEquals(List.of("0=1.0", "10=0.25"), out.values("ready_ratio", T0));
  }

  private static String combine(String metric, String name, String signal, String term) {
    String unit = signal.equals("memory") ? "By" : "1";
    return "{\"metric\": \"%s\", \"combine\": {\"name\": \"%s\", \"signal\": \"%s\", \"unit\": \"%s\", \"term\": \"%s\"}}"
        .formatted(metric, name, signal, unit, term);
  }

  @Test
  void itGoesOnAfterARestoreAsIfNothingHadHappened() throws IOException {
    Layout all = Layout.of(OK, BAD);
    step(0, all, 0, 0);
    step(1, all, 100, 10);
    step(2, Layout.of(OK), 200);
    DataOutputSerializer bytes = new DataOutputSerializer(1024);
    NodeStateSerializer.INSTANCE.serialize(state, bytes);
    DataInputDeserializer in = new DataInputDeserializer(bytes.getCopyOfBuffer());
    state = NodeStateSerializer.INSTANCE.deserialize(in);
    processor = processor(REQUESTS);
    step(3, all, 300, 30);
    end();
    assertEquals(List.of("10=11.0", "20=11.0", "30=11.0"), out.values("requests_total", T0));
  }

  @Test
  void aPartMeasuresWhatIsMadeOfIt() {
    SignalRules rules = new SignalRules(Given.rules(REQUESTS));
    assertTrue(rules.resolve(OK).measures(Signal.TRAFFIC));
    assertFalse(rules.resolve(OK).measures(Signal.ERRORS));
    assertTrue(rules.resolve(BAD).measures(Signal.TRAFFIC));
    assertTrue(rules.resolve(BAD).measures(Signal.ERRORS));
  }

  @Test
  void framesHaveTheTotalsOnly() {
    Layout all = Layout.of(OK, BAD);
    for (int i = 0; i < 40; i++) {
      step(i, all, 100.0 * i, 10.0 * i);
    }
    end();
    float[] edges = out.frames.get(out.frames.size() - 1).edges();
    assertEquals(1, out.frames.get(out.frames.size() - 1).peers().length);
    assertTrue(edges.length > 0);
    assertEquals(
        2, new FramePlan(state.series).edges.get("web").stream().mapToInt(List::size).sum());
  }
}
