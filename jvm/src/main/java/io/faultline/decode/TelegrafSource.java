package io.faultline.decode;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * One measurement with one set of tags: its node, and the series of its fields. A field becomes the
 * metric {@code <measurement>_<field>}; of the measurement {@code prometheus}, into which Telegraf
 * puts what it scraped, the field alone.
 */
final class TelegrafSource {
  private static final String SCRAPED = "prometheus";
  private static final int FIELDS_KEPT = 10_000;

  private final String measurement;
  private final String graph;
  @Nullable private final String node;
  @Nullable private final String peer;
  private final String labels;
  private final Map<String, SeriesKey> byName = new HashMap<>();
  private final BytesMap<SeriesKey> byBytes = new BytesMap<>();
  private int kept;

  TelegrafSource(String measurement, LabelIdentity.Identity who) {
    this.measurement = measurement;
    this.graph = who.graph();
    this.node = who.node();
    this.peer = who.peer();
    this.labels = SeriesKey.canonical(who.labels());
  }

  /** The series of a field whose key stands in that range; null = not seen yet. */
  @Nullable
  SeriesKey find(byte[] bytes, int from, int to) {
    return byBytes.get(bytes, from, to);
  }

  /** As {@link #series}, kept for the key in that range. */
  SeriesKey keep(byte[] bytes, int from, int to, String field) {
    SeriesKey key = series(field);
    byBytes.put(bytes, from, to, key);
    return key;
  }

  SeriesKey series(String field) {
    SeriesKey found = byName.get(field);
    if (found == null) {
      if (kept++ >= FIELDS_KEPT) {
        byName.clear();
        byBytes.clear();
        kept = 0;
      }
      found = create(field);
      byName.put(field, found);
    }
    return found;
  }

  private SeriesKey create(String field) {
    String name = Labels.clean(field);
    String metric = measurement.equals(SCRAPED) ? name : measurement + "_" + name;
    return new SeriesKey(metric, labels, peer, Side.UNSAID, Kind.UNSAID, null, null);
  }

  /** Hands a value on; the time is in ms. */
  void emit(SeriesKey series, long time, double value, Decoder.Output out) {
    if (node == null) {
      out.ignored(Reasons.UNNAMED_NODE);
    } else {
      out.sample(graph, node, time, series, value, 0L);
    }
  }
}
