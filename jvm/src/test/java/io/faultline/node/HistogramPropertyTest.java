package io.faultline.node;

import static io.faultline.node.Given.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.cep.SampleEvent;
import io.faultline.records.Block;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** What holds for means and quantiles, however the parts of a histogram come. */
class HistogramPropertyTest {
  private static final String SEED = "-4711";
  private static final long EVERY = 15_000;
  private static final double[] BOUNDS = {0.005, 0.1, 0.25, 1, 2.5, 10};

  /** One series' point. */
  record Sent(SeriesKey key, double value) {}

  private static SeriesKey key(String metric, String le) {
    String labels = le == null ? "" : SeriesKey.canonical(Map.of("le", le));
    return new SeriesKey(metric, labels, null, Side.UNSAID, Kind.COUNTER, null, null);
  }

  /** A histogram with so many more events per bucket at each time, from its bounds up. */
  private static List<List<Sent>> payloads(List<List<Integer>> growths, double[] bounds) {
    List<List<Sent>> payloads = new ArrayList<>();
    double[] inBucket = new double[bounds.length + 1];
    for (List<Integer> growth : growths) {
      List<Sent> payload = new ArrayList<>();
      double upTo = 0;
      double sum = 0;
      for (int b = 0; b <= bounds.length; b++) {
        inBucket[b] += growth.get(b);
        upTo += inBucket[b];
        sum += inBucket[b] * (b == bounds.length ? 20 : bounds[b]);
        String le = b == bounds.length ? "+Inf" : Double.toString(bounds[b]);
        payload.add(new Sent(key("rpc_bucket", le), upTo));
      }
      payload.add(new Sent(key("rpc_count", null), upTo));
      payload.add(new Sent(key("rpc_sum", null), sum));
      payloads.add(payload);
    }
    return payloads;
  }

  private static Block block(long time, List<Sent> sent) {
    SeriesKey[] keys = sent.stream().map(Sent::key).toArray(SeriesKey[]::new);
    double[] values = sent.stream().mapToDouble(Sent::value).toArray();
    return new Block("shop", "cart", time, Layout.of(keys), values, null);
  }

  /** What came out, as "second metric value", in order. */
  private static List<String> shown(Recorded out) {
    List<String> all = new ArrayList<>();
    for (SampleEvent s : out.samples) {
      all.add((s.time() - T0) / 1000 + " " + s.series().key().metric() + " " + s.value());
    }
    Collections.sort(all);
    return all;
  }

  private static List<String> whole(List<List<Sent>> payloads) {
    NodeProcessor processor = new NodeProcessor(Given.config());
    NodeState state = Given.state();
    Recorded out = new Recorded();
    for (int i = 0; i < payloads.size(); i++) {
      processor.buffer(state, block(T0 + i * EVERY, payloads.get(i)));
    }
    processor.advance(state, Long.MAX_VALUE, out);
    return shown(out);
  }

  @Property(seed = SEED, tries = 150)
  void aPayloadMayBeSplitAndShuffled(
      @ForAll @Size(min = 2, max = 6) List<@Size(7) List<@IntRange(max = 50) Integer>> growths,
      @ForAll @IntRange(min = 1, max = 9) int parts,
      @ForAll long order) {
    List<List<Sent>> payloads = payloads(growths, BOUNDS);
    Random random = new Random(order);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < payloads.size(); i++) {
      List<Sent> shuffled = new ArrayList<>(payloads.get(i));
      Collections.shuffle(shuffled, random);
      for (int from = 0; from < shuffled.size(); from += parts) {
        int to = Math.min(shuffled.size(), from + parts);
        blocks.add(block(T0 + i * EVERY, shuffled.subList(from, to)));
      }
    }
    Collections.shuffle(blocks, random);
    NodeProcessor processor = new NodeProcessor(Given.config());
    NodeState state = Given.state();
    Recorded out = new Recorded();
    blocks.forEach(one -> processor.buffer(state, one));
    processor.advance(state, Long.MAX_VALUE, out);
    assertEquals(whole(payloads), shown(out));
  }

  @Property(seed = SEED, tries = 150)
  void theMeanIsThatOfTheGrowth(
      @ForAll @Size(min = 2, max = 6) List<@Size(7) List<@IntRange(max = 50) Integer>> growths) {
    List<List<Sent>> payloads = payloads(growths, BOUNDS);
    Map<String, Double> means = new TreeMap<>();
    for (int i = 1; i < growths.size(); i++) {
      double events = growths.get(i).stream().mapToInt(Integer::intValue).sum();
      double sum = 0;
      for (int b = 0; b <= BOUNDS.length; b++) {
        sum += growths.get(i).get(b) * (b == BOUNDS.length ? 20 : BOUNDS[b]);
      }
      if (events > 0) {
        means.put(i * EVERY / 1000 + " rpc_mean", sum / events);
      }
    }
    List<String> shown =
        whole(payloads).stream().filter(line -> line.contains("rpc_mean")).toList();
    assertEquals(means.size(), shown.size());
    for (String line : shown) {
      int end = line.lastIndexOf(' ');
      assertEquals(
          means.get(line.substring(0, end)), Double.parseDouble(line.substring(end)), 1e-9);
    }
  }

  /** Other bounds at any time, restarts, buckets that fall or are lost. */
  @Property(seed = SEED, tries = 300)
  void aQuantileLiesWithinTheFiniteBounds(
      @ForAll @Size(min = 2, max = 12)
          List<@Size(min = 1, max = 6) List<@IntRange(min = -3, max = 12) Integer>> bounds,
      @ForAll @Size(min = 72, max = 72) List<@IntRange(max = 1_000) Integer> values,
      @ForAll boolean delta) {
    NodeProcessor processor = new NodeProcessor(Given.config());
    NodeState state = Given.state();
    Recorded out = new Recorded();
    Kind kind = delta ? Kind.DELTA : Kind.COUNTER;
    int next = 0;
    for (int i = 0; i < bounds.size(); i++) {
      List<Sent> payload = new ArrayList<>();
      for (int bound : bounds.get(i).stream().distinct().toList()) {
        String le = bound == 12 ? "+Inf" : String.format(Locale.ROOT, "%.2f", bound / 2.0);
        payload.add(new Sent(of(key("rpc_bucket", le), kind), values.get(next++)));
      }
      payload.add(new Sent(of(key("rpc_count", null), kind), 1_000 * (i + 1)));
      processor.step(state, block(T0 + i * EVERY, payload), out);
    }
    processor.advance(state, Long.MAX_VALUE, out);
    for (SampleEvent s : out.samples) {
      if (s.series().key().metric().equals("rpc_p95")) {
        List<Integer> at = bounds.get((int) ((s.time() - T0) / EVERY));
        double lowest = Collections.min(at) / 2.0;
        double highest = at.stream().filter(b -> b < 12).max(Integer::compare).orElseThrow() / 2.0;
        assertTrue(s.value() >= Math.min(0, lowest) && s.value() <= highest, () -> s + " " + at);
      }
    }
  }

  private static SeriesKey of(SeriesKey key, Kind kind) {
    return new SeriesKey(key.metric(), key.labels(), null, key.side(), kind, null, null);
  }

  @Property(seed = SEED, tries = 100)
  void aRestoreBetweenAnyTwoBlocksChangesNothing(
      @ForAll @Size(min = 2, max = 6) List<@Size(7) List<@IntRange(max = 50) Integer>> growths,
      @ForAll long order)
      throws IOException {
    List<List<Sent>> payloads = payloads(growths, BOUNDS);
    NodeProcessor processor = new NodeProcessor(Given.config());
    NodeState state = Given.state();
    Recorded out = new Recorded();
    Random random = new Random(order);
    for (int i = 0; i < payloads.size(); i++) {
      for (Sent sent : payloads.get(i)) {
        processor.step(state, block(T0 + i * EVERY, List.of(sent)), out);
        state = random.nextInt(4) == 0 ? restored(state) : state;
      }
    }
    processor.advance(state, Long.MAX_VALUE, out);
    assertEquals(whole(payloads), shown(out));
  }

  private static NodeState restored(NodeState state) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(1024);
    NodeStateSerializer.INSTANCE.serialize(state, out);
    DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
    return NodeStateSerializer.INSTANCE.deserialize(in);
  }
}
