package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.io.JsonStringEncoder;

/** OTLP attributes (KeyValue, AnyValue) as text; lists and maps are written as JSON. */
final class OtlpAttributes {
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int MAX_DEPTH = 16;

  private OtlpAttributes() {}

  /** Reads every KeyValue in the fields of that number in the range, over those already there. */
  static void read(byte[] buffer, int from, int to, int field, Map<String, String> into)
      throws WireException {
    Wire wire = new Wire().over(buffer, from, to);
    Wire pair = new Wire();
    while (wire.next()) {
      if (wire.field == field) {
        readPair(pair.into(wire), into);
      }
    }
  }

  private static void readPair(Wire pair, Map<String, String> into) throws WireException {
    String key = "";
    String value = "";
    while (pair.next()) {
      if (pair.field == KEY) {
        key = pair.text();
      } else if (pair.field == VALUE) {
        value = value(new Wire().into(pair), 0);
      }
    }
    if (!key.isEmpty()) {
      into.put(Labels.clean(key), Labels.clean(value));
    }
  }

  /** A value as text: of its own as it is, within a list or map as JSON. */
  private static String value(Wire any, int depth) throws WireException {
    if (depth > MAX_DEPTH) {
      throw new WireException("an attribute is nested too deeply");
    }
    String text = depth == 0 ? "" : "null";
    while (any.next()) {
      text =
          switch (any.field) {
            case 1 -> quoted(any.text(), depth);
            case 2 -> any.integer() == 0 ? "false" : "true";
            case 3 -> Long.toString(any.integer());
            case 4 -> real(any.real(), depth);
            case 5 -> list(new Wire().into(any), depth);
            case 6 -> map(new Wire().into(any), depth);
            case 7 -> quoted(base64(any), depth);
            default -> text;
          };
    }
    return text;
  }

  private static String quoted(String text, int depth) {
    if (depth == 0) {
      return text;
    }
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }

  private static String real(double value, int depth) {
    String text = Double.toString(value);
    return Double.isFinite(value) ? text : quoted(text, depth);
  }

  private static String base64(Wire any) throws WireException {
    any.expect(Wire.BYTES);
    byte[] bytes = Arrays.copyOfRange(any.buffer(), any.from, any.to);
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String list(Wire values, int depth) throws WireException {
    StringJoiner out = new StringJoiner(",", "[", "]");
    while (values.next()) {
      if (values.field == 1) {
        out.add(value(new Wire().into(values), depth + 1));
      }
    }
    return out.toString();
  }

  private static String map(Wire values, int depth) throws WireException {
    StringJoiner out = new StringJoiner(",", "{", "}");
    Wire pair = new Wire();
    while (values.next()) {
      if (values.field == 1) {
        out.add(pair(pair.into(values), depth + 1));
      }
    }
    return out.toString();
  }

  private static String pair(Wire pair, int depth) throws WireException {
    String key = "";
    String value = "null";
    while (pair.next()) {
      if (pair.field == KEY) {
        key = pair.text();
      } else if (pair.field == VALUE) {
        value = value(new Wire().into(pair), depth);
      }
    }
    return quoted(key, depth) + ':' + value;
  }
}
