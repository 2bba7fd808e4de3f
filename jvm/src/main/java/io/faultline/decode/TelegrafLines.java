package io.faultline.decode;

import io.faultline.decode.LineProtocol.LineException;
import io.faultline.records.SeriesKey;
import java.util.HashMap;
import java.util.Map;

/**
 * Influx line protocol: a metric per line, comments and blank lines between them. A line that has
 * no legal reading is a dead letter that tells its number; reading goes on at the next one. A line
 * without a time has that of its record.
 */
final class TelegrafLines {
  private static final int HEADS_KEPT = 200_000;
  private static final long NANOS_PER_MS = 1_000_000L;

  private final TelegrafDecoder.Sources sources;
  private final BytesMap<TelegrafSource> known = new BytesMap<>();
  private final Map<String, String> tags = new HashMap<>();
  private final LineFields fields = new LineFields();
  private final LineCount lines = new LineCount();
  private SeriesKey[] series = new SeriesKey[16];
  private int heads;

  TelegrafLines(TelegrafDecoder.Sources sources) {
    this.sources = sources;
  }

  /**
   * Everything in the record.
   *
   * @param timestamp of the record, ms; {@link RawRecord#NO_TIMESTAMP} = none
   */
  void decode(byte[] value, long timestamp, Decoder.Output out) {
    lines.reset(value);
    int at = 0;
    boolean any = false;
    while (at < value.length) {
      byte first = value[at];
      if (first == ' ' || first == '\n' || first == '\r') {
        at++;
      } else if (first == '#') {
        at = lineEnd(value, at);
      } else {
        any = true;
        at = line(value, at, timestamp, out);
      }
    }
    if (!any) {
      out.deadLetter(Reasons.EMPTY, "the record has nothing but comments");
    }
  }

  /** Reads the line that begins there; returns where it ends. */
  private int line(byte[] value, int from, long timestamp, Decoder.Output out) {
    try {
      int headEnd = headEnd(value, from);
      TelegrafSource source = source(value, from, headEnd);
      int fieldsFrom = headEnd;
      while (fieldsFrom < value.length && value[fieldsFrom] == ' ') {
        fieldsFrom++;
      }
      int end = fields.read(value, fieldsFrom, value.length);
      findSeries(source, value);
      emit(source, from, timestamp, out);
      return end;
    } catch (LineException e) {
      out.deadLetter(Reasons.MALFORMED, "line " + lines.at(from) + ": " + e.getMessage());
      return lineEnd(value, from);
    }
  }

  private static int lineEnd(byte[] value, int from) {
    int at = from;
    while (at < value.length && value[at] != '\n') {
      at++;
    }
    return at;
  }

  /** Behind measurement and tags: at the first blank that is not escaped. */
  private static int headEnd(byte[] value, int from) throws LineException {
    int at = LineProtocol.keyEnd(value, from, value.length, false);
    while (at < value.length && value[at] == ',') {
      at = LineProtocol.keyEnd(value, at + 1, value.length, false);
    }
    if (at == value.length || value[at] != ' ') {
      throw new LineException("no fields");
    }
    return at;
  }

  private TelegrafSource source(byte[] value, int from, int to) throws LineException {
    TelegrafSource found = known.get(value, from, to);
    if (found == null) {
      found = sources.create(LineProtocol.head(value, from, to, tags), tags);
      if (heads++ >= HEADS_KEPT) {
        known.clear();
        heads = 0;
      }
      known.put(value, from, to, found);
    }
    return found;
  }

  /** The series of all fields, since a name can still be what makes the line illegal. */
  private void findSeries(TelegrafSource source, byte[] value) throws LineException {
    if (series.length < fields.count()) {
      series = new SeriesKey[2 * fields.count()];
    }
    for (int i = 0; i < fields.count(); i++) {
      int from = fields.keyFrom(i);
      int to = fields.keyTo(i);
      series[i] = source.find(value, from, to);
      if (series[i] == null) {
        series[i] = source.keep(value, from, to, LineProtocol.key(value, from, to, false));
      }
    }
  }

  private void emit(TelegrafSource source, int from, long timestamp, Decoder.Output out) {
    long time = fields.timed() ? Math.floorDiv(fields.nanos(), NANOS_PER_MS) : timestamp;
    if (!fields.timed() && timestamp == RawRecord.NO_TIMESTAMP) {
      out.deadLetter(
          Reasons.MISSING_FIELD,
          "line " + lines.at(from) + ": timestamp: neither the line nor its record has one");
      return;
    }
    if (!Times.isValid(time)) {
      out.deadLetter(
          Reasons.BAD_TIME,
          "line " + lines.at(from) + ": timestamp: nanoseconds since 1973 are wanted");
      return;
    }
    for (int i = 0; i < fields.count(); i++) {
      switch (fields.type(i)) {
        case NUMBER -> source.emit(series[i], time, fields.value(i), out);
        case TEXT -> out.ignored(Reasons.NON_NUMERIC);
        case TOO_LARGE ->
            out.deadLetter(
                Reasons.BAD_VALUE,
                "line " + lines.at(from) + ": " + series[i].metric() + ": the number is too large");
      }
    }
  }
}
