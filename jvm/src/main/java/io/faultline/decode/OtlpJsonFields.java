package io.faultline.decode;

import java.io.IOException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * Writes values of JSON fields as protobuf fields. Each method takes the parser's current value to
 * its end; a value of a wrong type refuses the message that is named as {@link #owner}, and reading
 * goes on behind it.
 */
final class OtlpJsonFields {
  private static final int SHOWN = 40;
  private static final Base64.Decoder BASE64 = Base64.getDecoder();
  private static final Base64.Decoder BASE64_URL = Base64.getUrlDecoder();
  private static final HexFormat HEX = HexFormat.of();

  final WireWriter out = new WireWriter();
  final OtlpRefusals refusals = new OtlpRefusals();
  private final JsonNumber number = new JsonNumber();
  JsonParser parser;

  /** Where the content of the message begins that a wrong value refuses. */
  int owner;

  void begin(JsonParser parser) {
    this.parser = parser;
  }

  /** Moves to the next field that has a value; null at the end of the object. */
  String next() throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_NULL) {
        return name;
      }
    }
    return null;
  }

  void skip() throws IOException {
    parser.skipChildren();
  }

  void wrong(String reason, String field, String wanted) throws IOException {
    refusals.add(owner, reason, field + ": " + wanted + " is wanted, found " + shown());
    parser.skipChildren();
  }

  private void wrong(String field, String wanted) throws IOException {
    wrong(Reasons.BAD_VALUE, field, wanted);
  }

  /** What stands there instead. */
  private String shown() throws IOException {
    JsonToken token = parser.currentToken();
    if (token.isStructStart()) {
      return token == JsonToken.START_OBJECT ? "an object" : "a list";
    }
    String text = parser.getText();
    text = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
    return token == JsonToken.VALUE_STRING ? '"' + text + '"' : text;
  }

  boolean isObject(String field) throws IOException {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      return true;
    }
    wrong(field, "an object");
    return false;
  }

  boolean isList(String field) throws IOException {
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      return true;
    }
    wrong(field, "a list");
    return false;
  }

  void text(int field, String name) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      out.text(field, parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
    } else {
      wrong(name, "text");
    }
  }

  void bool(int field, String name) throws IOException {
    if (parser.currentToken().isBoolean()) {
      out.varint(field, parser.getBooleanValue() ? 1 : 0);
    } else {
      wrong(name, "true or false");
    }
  }

  void time(int field, String name) throws IOException {
    if (number.readUnsigned(parser, Long.SIZE)) {
      out.fixed(field, number.bits);
    } else {
      wrong(Reasons.BAD_TIME, name, "nanoseconds since 1970 as an integer");
    }
  }

  /** An unsigned integer of 64 bits in a field of fixed size. */
  void count(int field, String name) throws IOException {
    if (number.readUnsigned(parser, Long.SIZE)) {
      out.fixed(field, number.bits);
    } else {
      wrong(name, "an integer from 0 on");
    }
  }

  /** A signed integer of 64 bits in a field of fixed size. */
  void fixed(int field, String name) throws IOException {
    if (number.readSigned(parser, Long.SIZE)) {
      out.fixed(field, number.bits);
    } else {
      wrong(name, "an integer of 64 bits");
    }
  }

  void integer(int field, String name) throws IOException {
    if (number.readSigned(parser, Long.SIZE)) {
      out.varint(field, number.bits);
    } else {
      wrong(name, "an integer of 64 bits");
    }
  }

  void unsigned32(int field, String name) throws IOException {
    if (number.readUnsigned(parser, Integer.SIZE)) {
      out.varint(field, number.bits);
    } else {
      wrong(name, "an integer of 32 bits from 0 on");
    }
  }

  void signed32(int field, String name) throws IOException {
    if (number.readSigned(parser, Integer.SIZE)) {
      out.zigzag(field, number.bits);
    } else {
      wrong(name, "an integer of 32 bits");
    }
  }

  void real(int field, String name) throws IOException {
    if (number.readReal(parser)) {
      out.fixed(field, Double.doubleToRawLongBits(number.real));
    } else {
      wrong(name, "a number");
    }
  }

  /** The number of an enumeration's value, or its name; {@code names} in order of their numbers. */
  void enumeration(int field, String name, List<String> names) throws IOException {
    boolean text = parser.currentToken() == JsonToken.VALUE_STRING;
    int known = text ? names.indexOf(parser.getText()) : -1;
    if (known >= 0) {
      out.varint(field, known);
    } else if (number.readSigned(parser, Integer.SIZE)) {
      out.varint(field, number.bits);
    } else {
      wrong(name, "one of " + String.join(", ", names));
    }
  }

  void bytes(int field, String name) throws IOException {
    byte[] value = null;
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      value = base64(parser.getText());
    }
    if (value == null) {
      wrong(name, "base64");
    } else {
      out.bytes(field, value);
    }
  }

  /** Bytes of either alphabet, with padding or without; null where it is none. */
  private static byte[] base64(String text) {
    boolean url = text.indexOf('-') >= 0 || text.indexOf('_') >= 0;
    try {
      return (url ? BASE64_URL : BASE64).decode(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Bytes in hexadecimal digits; other text names nothing, as an identifier of a wrong length. */
  void identifier(int field, String name) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      wrong(name, "text");
      return;
    }
    String text = parser.getText();
    if (text.length() % 2 == 0 && text.chars().allMatch(HexFormat::isHexDigit)) {
      out.bytes(field, HEX.parseHex(text));
    }
  }

  /** A list of values that stand one after the other. */
  void packed(int field, String name, Element element) throws IOException {
    if (!isList(name)) {
      return;
    }
    out.begin(field);
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      boolean read =
          switch (element) {
            case COUNT, VARINT -> number.readUnsigned(parser, Long.SIZE);
            case REAL -> number.readReal(parser);
          };
      if (!read) {
        wrong(name, element == Element.REAL ? "a number" : "an integer from 0 on");
      } else if (element == Element.VARINT) {
        out.raw(number.bits);
      } else {
        boolean count = element == Element.COUNT;
        out.rawFixed(count ? number.bits : Double.doubleToRawLongBits(number.real));
      }
    }
    out.end();
  }

  /** What a list holds. */
  enum Element {
    /** Unsigned integers of 64 bits, of fixed size. */
    COUNT,
    /** Unsigned integers of 64 bits, as varints. */
    VARINT,
    /** Doubles. */
    REAL
  }
}
