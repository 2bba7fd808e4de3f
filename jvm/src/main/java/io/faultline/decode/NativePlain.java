package io.faultline.decode;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * Native samples of the plainest form, without a parser: no text is built for names seen before.
 * What a series says of itself beside its metric is known by its bytes, once the parser has read
 * them for the first time.
 */
final class NativePlain {
  private static final int KEPT = 100_000;
  private static final long GRAPH = PlainJson.key("graph");
  private static final long NODE = PlainJson.key("node");
  private static final long METRIC = PlainJson.key("metric");
  private static final long VALUE = PlainJson.key("value");
  private static final long TIME = PlainJson.key("time");
  private static final long LABELS = PlainJson.key("labels");

  /** What a series may say of itself, in the order in which it is compared. */
  private static final long[] SAID = {
    LABELS,
    PlainJson.key("peer"),
    PlainJson.key("side"),
    PlainJson.key("kind"),
    PlainJson.key("signal"),
    PlainJson.key("unit")
  };

  @Nullable private final String fixedGraph;
  private final Interner<SeriesKey> keys;
  private final PlainJson json = new PlainJson();
  private final KnownNames graphs;
  private final KnownNames nodes;
  private final BytesMap<SeriesKey> series = new BytesMap<>();
  private int kept;

  private final int[] froms = new int[SAID.length];
  private final int[] tos = new int[SAID.length];
  private byte[] said = new byte[256];
  private int saidLength;
  private int graphFrom;
  private int graphTo;
  private int nodeFrom;
  private int nodeTo;
  private int metricFrom;
  private int metricTo;
  private boolean hasValue;
  private double value;
  private long time;

  NativePlain(@Nullable String fixedGraph, Interner<SeriesKey> keys, Interner<String> names) {
    this.fixedGraph = fixedGraph;
    this.keys = keys;
    this.graphs =
        new KnownNames(
            sent -> {
              String graph = Names.graph(sent);
              return graph == null ? null : names.intern(graph);
            });
    this.nodes =
        new KnownNames(
            sent -> {
              String node = Names.node(sent);
              return node == null ? null : names.intern(node);
            });
  }

  /** See {@link JsonRecords.Reader#readPlain}. */
  int read(byte[] bytes, int brace, Decoder.Output out) {
    saidLength = 0;
    if (!scan(bytes, brace)) {
      return -1;
    }
    String graph = fixedGraph != null ? fixedGraph : graphs.of(bytes, graphFrom, graphTo);
    String node = nodes.of(bytes, nodeFrom, nodeTo);
    if (graph == null || node == null) {
      return -1;
    }
    SeriesKey key = key(bytes);
    if (key == null) {
      return -1;
    }
    out.sample(graph, node, time, key, value, 0L);
    return json.position();
  }

  /** Finds every field; false where one is missing, unknown, there twice or not plain. */
  private boolean scan(byte[] bytes, int brace) {
    graphTo = nodeTo = metricTo = 0;
    Arrays.fill(tos, 0);
    hasValue = false;
    time = -1;
    json.begin(bytes, brace);
    while (!json.closed()) {
      if (!json.next() || !field() || !json.more()) {
        return false;
      }
    }
    return nodeTo > 0
        && metricTo > 0
        && hasValue
        && Times.isValid(time)
        && (graphTo > 0 || fixedGraph != null);
  }

  private boolean field() {
    long key = json.key();
    if (key == VALUE) {
      boolean first = !hasValue;
      hasValue = json.readNumber();
      value = json.real();
      return first && hasValue;
    }
    if (key == TIME) {
      boolean first = time < 0;
      boolean read = json.readInteger();
      time = json.integer();
      return first && read;
    }
    boolean read = key == LABELS ? json.readFlatObject() : json.readText();
    return read && keep(key, json.from(), json.to());
  }

  private boolean keep(long key, int from, int to) {
    boolean first;
    if (key == GRAPH) {
      first = graphTo == 0;
      graphFrom = from;
      graphTo = to;
    } else if (key == NODE) {
      first = nodeTo == 0;
      nodeFrom = from;
      nodeTo = to;
    } else if (key == METRIC) {
      first = metricTo == 0;
      metricFrom = from;
      metricTo = to;
    } else {
      return keepSaid(key, from, to);
    }
    return first;
  }

  private boolean keepSaid(long key, int from, int to) {
    for (int i = 0; i < SAID.length; i++) {
      if (SAID[i] == key) {
        boolean first = tos[i] == 0;
        froms[i] = from;
        tos[i] = to;
        return first;
      }
    }
    return false;
  }

  /** The series; null = the parser must read it first. */
  @Nullable
  private SeriesKey key(byte[] bytes) {
    append(bytes, metricFrom, metricTo, 0);
    boolean plain = true;
    for (int i = 0; i < SAID.length; i++) {
      if (tos[i] > 0) {
        append(bytes, froms[i], tos[i], i + 1);
        plain = false;
      }
    }
    SeriesKey found = series.get(said, 0, saidLength);
    if (found != null || !plain) {
      return found;
    }
    String metric = text(bytes, metricFrom, metricTo);
    if (metric.isBlank()) {
      return null;
    }
    learn(keys.intern(new SeriesKey(metric, "", null, Side.UNSAID, Kind.UNSAID, null, null)));
    return series.get(said, 0, saidLength);
  }

  /** Adds a range with a mark before it that stands in no plain text. */
  private void append(byte[] bytes, int from, int to, int mark) {
    int needed = saidLength + to - from + 1;
    if (said.length < needed) {
      said = Arrays.copyOf(said, 2 * needed);
    }
    said[saidLength++] = (byte) mark;
    System.arraycopy(bytes, from, said, saidLength, to - from);
    saidLength += to - from;
  }

  /** Told what series the parser made of the object that was not known here just before. */
  void learn(SeriesKey key) {
    if (saidLength > 0) {
      if (kept++ >= KEPT) {
        series.clear();
        kept = 0;
      }
      series.put(said, 0, saidLength, key);
    }
  }

  /** Called when the parser is done with an object. */
  void forget() {
    saidLength = 0;
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.US_ASCII);
  }
}
