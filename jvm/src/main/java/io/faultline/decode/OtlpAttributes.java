package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

/** OTLP attributes (KeyValue, AnyValue) as text. Strings inside lists and maps stand in quotes. */
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

  private static String value(Wire any, int depth) throws WireException {
    if (depth > MAX_DEPTH) {
      throw new WireException("an attribute is nested too deeply");
    }
    String text = "";
    while (any.next()) {
      text =
          switch (any.field) {
            case 1 -> depth == 0 ? any.text() : '"' + any.text() + '"';
            case 2 -> any.integer() == 0 ? "false" : "true";
            case 3 -> Long.toString(any.integer());
            case 4 -> Double.toString(any.real());
            case 5 -> list(new Wire().into(any), depth);
            case 6 -> map(new Wire().into(any), depth);
            case 7 -> base64(any);
            default -> text;
          };
    }
    return text;
  }

  private static String base64(Wire any) throws WireException {
    any.expect(Wire.BYTES);
    byte[] bytes = Arrays.copyOfRange(any.buffer(), any.from, any.to);
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String list(Wire values, int depth) throws WireException {
    StringBuilder out = new StringBuilder("[");
    while (values.next()) {
      if (values.field == 1) {
        out.append(out.length() > 1 ? "," : "").append(value(new Wire().into(values), depth + 1));
      }
    }
    return out.append(']').toString();
  }

  private static String map(Wire values, int depth) throws WireException {
    StringBuilder out = new StringBuilder("{");
    Wire pair = new Wire();
    while (values.next()) {
      if (values.field == 1) {
        pair.into(values);
        out.append(out.length() > 1 ? "," : "");
        while (pair.next()) {
          if (pair.field == KEY) {
            out.append('"').append(pair.text()).append("\":");
          } else if (pair.field == VALUE) {
            out.append(value(new Wire().into(pair), depth + 1));
          }
        }
      }
    }
    return out.append('}').toString();
  }
}
