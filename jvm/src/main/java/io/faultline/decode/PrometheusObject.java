package io.faultline.decode;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * One sample of Prometheus while it is read. The first thing that is wrong is kept; the object is
 * read to its end all the same, so that the next one can be read.
 */
final class PrometheusObject implements JsonRecords.Reader {
  private static final String NAME = "__name__";

  private final PrometheusCatalog catalog;
  private final PrometheusPlain plain;
  private final Interner<String> names = new Interner<>(100_000);
  private final Decimals decimals = new Decimals();
  private final Map<String, String> labels = new LinkedHashMap<>();

  private String name;
  private int labelsFrom;
  private int labelsTo;
  private boolean hasTime;
  private long time;
  private boolean hasValue;
  private boolean finite;
  private double value;
  private String reason;
  private String detail;

  PrometheusObject(PrometheusCatalog catalog) {
    this.catalog = catalog;
    this.plain = new PrometheusPlain(catalog);
  }

  @Override
  public int readPlain(byte[] bytes, int from, Decoder.Output out) {
    return plain.read(bytes, from, out);
  }

  @Override
  public void read(JsonParser parser, JsonRecords at, Decoder.Output out) throws IOException {
    reset();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken token = parser.nextToken();
      if (token != JsonToken.VALUE_NULL) {
        readField(field, token, parser, at);
        parser.skipChildren();
      }
    }
    emit(at, out);
  }

  private void reset() {
    name = reason = detail = null;
    labelsFrom = labelsTo = 0;
    hasTime = hasValue = false;
    finite = true;
  }

  private void readField(String field, JsonToken token, JsonParser parser, JsonRecords at)
      throws IOException {
    switch (field) {
      case "labels" -> readLabels(token, parser, at);
      case "name" -> readName(token, parser);
      case "timestamp" -> readTime(token, parser);
      case "value" -> readValue(token, parser);
      default -> {
        // Fields of other writers are none of ours.
      }
    }
  }

  private void readLabels(JsonToken token, JsonParser parser, JsonRecords at) throws IOException {
    if (token != JsonToken.START_OBJECT) {
      wrong(Reasons.BAD_VALUE, "labels: an object is wanted");
      return;
    }
    labelsFrom = at.tokenStart(parser);
    parser.skipChildren();
    labelsTo = at.tokenEnd(parser);
  }

  private void readName(JsonToken token, JsonParser parser) throws IOException {
    if (token == JsonToken.VALUE_STRING) {
      name = names.intern(parser.getText());
    } else {
      wrong(Reasons.BAD_VALUE, "name: a string is wanted");
    }
  }

  private void readTime(JsonToken token, JsonParser parser) throws IOException {
    hasTime = true;
    time =
        token == JsonToken.VALUE_STRING
            ? Rfc3339.parse(
                parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength())
            : Rfc3339.NONE;
  }

  private void readValue(JsonToken token, JsonParser parser) throws IOException {
    hasValue = true;
    if (token == JsonToken.VALUE_STRING) {
      Decimals.Problem problem =
          decimals.read(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
      finite = problem != Decimals.Problem.NOT_FINITE;
      value = decimals.value();
      if (problem == Decimals.Problem.NO_NUMBER || problem == Decimals.Problem.TOO_LARGE) {
        wrong(Reasons.BAD_VALUE, "value: a number is wanted");
      }
    } else if (token.isNumeric()) {
      value = parser.getDoubleValue();
      if (!Double.isFinite(value)) {
        wrong(Reasons.BAD_VALUE, "value: the number is too large");
      }
    } else {
      wrong(Reasons.BAD_VALUE, "value: a number, or a string with one, is wanted");
    }
  }

  private void wrong(String why, String what) {
    if (reason == null) {
      reason = why;
      detail = what;
    }
  }

  private void emit(JsonRecords at, Decoder.Output out) {
    require(hasValue, "value");
    require(hasTime, "timestamp");
    PrometheusSeries series = reason == null ? series(at.bytes()) : null;
    if (reason == null && finite && !Times.isValid(time)) {
      wrong(Reasons.BAD_TIME, "timestamp: an RFC 3339 time since 1973 is wanted");
    }
    if (reason != null) {
      out.deadLetter(reason, at.place() + ": " + detail);
    } else if (!finite) {
      out.ignored(Reasons.NOT_FINITE);
    } else {
      series.emit(time, value, out);
    }
  }

  /** The series, or null and why there is none. */
  @Nullable
  private PrometheusSeries series(byte[] bytes) {
    PrometheusSeries known = name == null ? null : catalog.find(bytes, labelsFrom, labelsTo, name);
    if (known != null) {
      return known;
    }
    String problem = LabelObject.read(bytes, labelsFrom, labelsTo, "labels", labels);
    if (problem != null) {
      wrong(Reasons.BAD_VALUE, problem);
      return null;
    }
    String metric = name == null ? labels.get(NAME) : name;
    require(metric != null && !metric.isBlank(), "name");
    return reason == null ? catalog.add(bytes, labelsFrom, labelsTo, metric, labels) : null;
  }

  private void require(boolean present, String field) {
    if (!present) {
      wrong(Reasons.MISSING_FIELD, field + ": is missing");
    }
  }
}
