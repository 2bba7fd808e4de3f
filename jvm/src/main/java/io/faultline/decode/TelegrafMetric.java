package io.faultline.decode;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * One metric of Telegraf in JSON while it is read: {@code fields, name, tags, timestamp}. The first
 * thing that is wrong with the whole is kept; a field that is wrong takes no other with it.
 */
final class TelegrafMetric {
  private final TelegrafDecoder.Sources sources;
  private final LabelCatalog<TelegrafSource> known;
  private final TimeUnits units;
  private final Interner<String> names = new Interner<>(100_000);
  private final Map<String, String> tags = new HashMap<>();

  private String[] fields = new String[16];
  private double[] values = new double[16];
  private int count;
  private boolean hasFields;
  private int tooLarge;
  private int nonNumeric;
  private int unsaid;
  private String name;
  private int tagsFrom;
  private int tagsTo;
  private boolean hasTime;
  private long time;
  private String reason;
  private String detail;

  TelegrafMetric(
      TelegrafDecoder.Sources sources, LabelCatalog<TelegrafSource> known, TimeUnits units) {
    this.sources = sources;
    this.known = known;
    this.units = units;
  }

  void reset() {
    name = reason = detail = null;
    tagsFrom = tagsTo = 0;
    hasFields = hasTime = false;
    clearFields();
  }

  private void clearFields() {
    count = tooLarge = nonNumeric = unsaid = 0;
  }

  /** Reads one field of the object; the parser stands on its value and is left on its end. */
  void readField(String field, JsonToken token, JsonParser parser, JsonRecords at)
      throws IOException {
    if (token == JsonToken.VALUE_NULL) {
      return;
    }
    switch (field) {
      case "fields" -> readFields(token, parser);
      case "tags" -> readTags(token, parser, at);
      case "name" -> readName(token, parser);
      case "timestamp" -> readTime(token, parser);
      default -> {
        // Fields of other writers are none of ours.
      }
    }
    parser.skipChildren();
  }

  private void readFields(JsonToken token, JsonParser parser) throws IOException {
    hasFields = true;
    clearFields();
    if (token != JsonToken.START_OBJECT) {
      wrong(Reasons.BAD_VALUE, "fields: an object is wanted");
      return;
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      if (value.isNumeric()) {
        add(field, parser.getDoubleValue());
      } else if (value.isBoolean()) {
        add(field, value == JsonToken.VALUE_TRUE ? 1.0 : 0.0);
      } else if (value == JsonToken.VALUE_NULL) {
        unsaid++;
      } else {
        nonNumeric++;
        parser.skipChildren();
      }
    }
  }

  private void add(String field, double value) {
    if (!Double.isFinite(value)) {
      tooLarge++;
      return;
    }
    if (count == fields.length) {
      fields = Arrays.copyOf(fields, count * 2);
      values = Arrays.copyOf(values, count * 2);
    }
    fields[count] = field;
    values[count++] = value;
  }

  private void readTags(JsonToken token, JsonParser parser, JsonRecords at) throws IOException {
    if (token != JsonToken.START_OBJECT) {
      wrong(Reasons.BAD_VALUE, "tags: an object is wanted");
      return;
    }
    tagsFrom = at.tokenStart(parser);
    parser.skipChildren();
    tagsTo = at.tokenEnd(parser);
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
        switch (token) {
          case VALUE_STRING ->
              Rfc3339.parse(
                  parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
          case VALUE_NUMBER_FLOAT -> units.toMs(parser.getDoubleValue());
          case VALUE_NUMBER_INT ->
              parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                  ? TimeUnits.NONE
                  : units.toMs(parser.getLongValue());
          default -> TimeUnits.NONE;
        };
  }

  private void wrong(String why, String what) {
    if (reason == null) {
      reason = why;
      detail = what;
    }
  }

  private void require(boolean present, String field) {
    if (!present) {
      wrong(Reasons.MISSING_FIELD, field + ": is missing");
    }
  }

  /**
   * Hands the metric on.
   *
   * @param index where it stands in a batch, for a person
   */
  void emit(JsonRecords at, String index, Decoder.Output out) {
    require(name != null && !name.isBlank(), "name");
    require(hasFields && count + tooLarge + nonNumeric + unsaid > 0, "fields");
    require(hasTime, "timestamp");
    if (reason == null && !Times.isValid(time)) {
      wrong(Reasons.BAD_TIME, "timestamp: a time since 1973 in json_timestamp_units is wanted");
    }
    TelegrafSource source = reason == null ? source(at.bytes()) : null;
    if (source == null) {
      out.deadLetter(reason, at.place() + index + ": " + detail);
      return;
    }
    for (int i = 0; i < count; i++) {
      source.emit(source.series(fields[i]), time, values[i], out);
    }
    for (int i = 0; i < tooLarge; i++) {
      out.deadLetter(Reasons.BAD_VALUE, at.place() + index + ": fields: a number is too large");
    }
    for (int i = 0; i < nonNumeric; i++) {
      out.ignored(Reasons.NON_NUMERIC);
    }
    for (int i = 0; i < unsaid; i++) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    }
  }

  /** The source, or null and why there is none. */
  @Nullable
  private TelegrafSource source(byte[] bytes) {
    TelegrafSource found = known.find(bytes, tagsFrom, tagsTo, name);
    if (found == null) {
      String problem = LabelObject.read(bytes, tagsFrom, tagsTo, "tags", tags);
      if (problem != null) {
        wrong(Reasons.BAD_VALUE, problem);
        return null;
      }
      found = sources.create(name, tags);
      known.keep(bytes, tagsFrom, tagsTo, name, found);
    }
    return found;
  }
}
