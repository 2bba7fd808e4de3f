package io.faultline.decode;

import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/** A JSON object of Telegraf: one metric, or a batch of them in {@code metrics}. */
final class TelegrafObject implements JsonRecords.Reader {
  private static final String BATCH = "metrics";

  private final TelegrafMetric single;
  private final TelegrafMetric element;

  TelegrafObject(TelegrafDecoder.Sources sources, TimeUnits units) {
    LabelCatalog<TelegrafSource> known = new LabelCatalog<>();
    this.single = new TelegrafMetric(sources, known, units);
    this.element = new TelegrafMetric(sources, known, units);
  }

  @Override
  public void read(JsonParser parser, JsonRecords at, Decoder.Output out) throws IOException {
    single.reset();
    boolean batch = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken token = parser.nextToken();
      if (field.equals(BATCH) && token == JsonToken.START_ARRAY) {
        batch = true;
        readBatch(parser, at, out);
      } else {
        single.readField(field, token, parser, at);
      }
    }
    if (!batch) {
      single.emit(at, "", out);
    }
  }

  private void readBatch(JsonParser parser, JsonRecords at, Decoder.Output out) throws IOException {
    int index = 0;
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (token == JsonToken.START_OBJECT) {
        element.reset();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          element.readField(parser.currentName(), parser.nextToken(), parser, at);
        }
        element.emit(at, ": metrics[" + index + "]", out);
      } else {
        out.deadLetter(
            Reasons.MALFORMED, at.place() + ": metrics[" + index + "]: an object is wanted");
        parser.skipChildren();
      }
      index++;
    }
    if (index == 0) {
      out.deadLetter(Reasons.EMPTY, at.place() + ": a batch with nothing in it");
    }
  }
}
