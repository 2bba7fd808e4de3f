package io.faultline.decode;

import io.faultline.config.IdentityConfig;
import io.faultline.decode.Wire.WireException;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * OTLP metrics as JSON: MetricsData or ExportMetricsServiceRequest, one or more one after the
 * other, as the Collector's file exporter writes them. They become protobuf and go the same way, so
 * both encodings give the same samples. After a break in the text nothing more is read of the
 * record; what was whole before it counts.
 */
final class OtlpJsonDecoder implements Decoder {
  private final OtlpReader reader;
  private final OtlpJsonReader json = new OtlpJsonReader();
  private boolean blank;

  OtlpJsonDecoder(IdentityConfig identity, String defaultGraph) {
    this.reader = new OtlpReader(identity, defaultGraph);
  }

  @Override
  public void decode(RawRecord in, Output out) {
    byte[] value = in.content(out);
    if (value != null) {
      readRecord(value, out);
    }
  }

  private void readRecord(byte[] value, Output out) {
    json.clear();
    String broken = parse(value);
    if (broken != null) {
      json.endBroken();
    }
    WireWriter written = json.out();
    boolean any = reader.read(written.buffer(), written.size(), json.refusals(), out);
    WireException wrong = json.refusals().ofRecord();
    if (wrong != null) {
      out.deadLetter(wrong.reason(), "record: " + wrong.getMessage());
    }
    if (broken != null) {
      out.deadLetter(Reasons.MALFORMED, broken);
    } else if (!any && wrong == null) {
      tellNothing(out);
    }
  }

  private void tellNothing(Output out) {
    if (blank) {
      out.deadLetter(Reasons.EMPTY, "the record is blank");
    } else if (json.named()) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    } else {
      out.deadLetter(Reasons.MALFORMED, "record: no resourceMetrics in it");
    }
  }

  /** Reads all objects; returns where and why the text breaks, null where it does not. */
  @Nullable
  private String parse(byte[] value) {
    blank = true;
    if (!JsonRecords.isUtf8Start(value, 0)) {
      return "byte 0 of the record: no JSON in UTF-8";
    }
    try (JsonParser parser = JsonRecords.parser(value, 0, value.length)) {
      try {
        return readObjects(parser);
      } catch (IOException e) {
        long at = parser.currentLocation().getByteOffset();
        return "byte " + at + " of the record, in " + json.path() + ": " + JsonRecords.firstLine(e);
      }
    } catch (IOException e) {
      return "record: " + JsonRecords.firstLine(e);
    }
  }

  @Nullable
  private String readObjects(JsonParser parser) throws IOException {
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      blank = false;
      if (token != JsonToken.START_OBJECT) {
        long at = parser.currentTokenLocation().getByteOffset();
        return "byte " + at + " of the record: an object is wanted, found " + parser.getText();
      }
      json.read(parser);
    }
    return null;
  }
}
