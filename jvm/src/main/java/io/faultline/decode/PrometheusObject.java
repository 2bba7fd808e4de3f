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
    labels.clear();
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

  /** Remembers where the labels stand, and reads them: they may be new. */
  private void readLabels(JsonToken token, JsonParser parser, JsonRecords at) throws IOException {
    if (token != JsonToken.START_OBJECT) {
      wrong(Reasons.BAD_VALUE, "labels: an object is wanted");
      return;
    }
    labels.clear();
    labelsFrom = at.tokenStart(parser);
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String label = names.intern(parser.currentName());
      JsonToken found = parser.nextToken();
      if (found == JsonToken.VALUE_STRING) {
        labels.put(label, names.intern(parser.getText()));
      } else if (found != JsonToken.VALUE_NULL) {
        wrong(Reasons.BAD_VALUE, "labels." + label + ": a string is wanted");
        parser.skipChildren();
      }
    }
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
    String metric = name == null ? labels.get(NAME) : name;
    require(metric != null && !metric.isBlank(), "name");
    require(hasValue, "value");
    require(hasTime, "timestamp");
    if (reason == null && finite && !Times.isValid(time)) {
      wrong(Reasons.BAD_TIME, "timestamp: an RFC 3339 time since 1973 is wanted");
    }
    if (reason != null) {
      out.deadLetter(reason, at.place() + ": " + detail);
    } else if (!finite) {
      out.ignored(Reasons.NOT_FINITE);
    } else {
      emitSample(series(metric, at.bytes()), out);
    }
  }

  private PrometheusSeries series(String metric, byte[] bytes) {
    PrometheusSeries known = catalog.find(bytes, labelsFrom, labelsTo, metric);
    return known == null ? catalog.add(bytes, labelsFrom, labelsTo, metric, labels) : known;
  }

  private void emitSample(PrometheusSeries series, @Nullable Decoder.Output out) {
    if (series.node() == null) {
      out.ignored(Reasons.UNNAMED_NODE);
    } else {
      out.sample(series.graph(), series.node(), time, series.key(), value, 0L);
    }
  }

  private void require(boolean present, String field) {
    if (!present) {
      wrong(Reasons.MISSING_FIELD, field + ": is missing");
    }
  }
}
