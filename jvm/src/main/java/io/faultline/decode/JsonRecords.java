package io.faultline.decode;

import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadConstraints;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadFeature;

/**
 * Walks the JSON objects of a record: one after the other, each on a line or on many, or in an
 * array. After text that cannot be parsed, reading goes on at the next line, so that broken text
 * takes nothing with it but what shares its line. Reused from record to record.
 */
final class JsonRecords {
  private static final int MAX_DEPTH = 200;

  /** No hash of field names is trusted to stay within a bound, and no name is kept for ever. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  private final Reader reader;
  private final boolean arrays;
  private final boolean plain;
  private final LineCount lines = new LineCount();
  private byte[] bytes;
  private int from;
  private int start;
  private int index;

  /** Reads one object. */
  interface Reader {
    /** The parser stands on the object's start and must be left on its end. */
    void read(JsonParser parser, JsonRecords at, Decoder.Output out) throws IOException;

    /**
     * Reads an object of the plainest form without a parser; hands on nothing unless all of it was
     * read.
     *
     * @param from where the object begins
     * @return where it ends; negative = the parser must read it
     */
    default int readPlain(byte[] bytes, int from, Decoder.Output out) {
      return -1;
    }
  }

  /**
   * A walk.
   *
   * @param arrays whether objects may stand in an array
   */
  JsonRecords(Reader reader, boolean arrays) {
    this(reader, arrays, true);
  }

  /**
   * A walk.
   *
   * @param plain whether plain objects may be read without the parser
   */
  JsonRecords(Reader reader, boolean arrays, boolean plain) {
    this.reader = reader;
    this.arrays = arrays;
    this.plain = plain;
  }

  static JsonParser parser(byte[] bytes, int from, int to) throws IOException {
    return FACTORY.createParser(bytes, from, to - from);
  }

  /** Everything in the record. */
  void decode(RawRecord in, Decoder.Output out) {
    byte[] value = in.content(out);
    if (value == null) {
      return;
    }
    bytes = value;
    lines.reset(value);
    int at = skipBlank(value, 0);
    if (at == value.length) {
      out.deadLetter(Reasons.EMPTY, "the record is blank");
    }
    while (at < value.length) {
      int end = plain && value[at] == '{' ? plain(at, out) : -1;
      at = skipBlank(value, end < 0 ? parse(at, out) : end);
    }
    bytes = null;
  }

  private int plain(int at, Decoder.Output out) {
    start = at;
    index = -1;
    return reader.readPlain(bytes, at, out);
  }

  /** The bytes of the record. */
  byte[] bytes() {
    return bytes;
  }

  /** Where the parser's current token begins in the record. */
  int tokenStart(JsonParser parser) {
    return from + (int) parser.currentTokenLocation().getByteOffset();
  }

  /** Behind the parser's current token. */
  int tokenEnd(JsonParser parser) {
    return from + (int) parser.currentLocation().getByteOffset();
  }

  /** Where the object that is being read begins, for a person. */
  String place() {
    return index < 0 ? "line " + lines.at(start) : "line " + lines.at(start) + ": [" + index + "]";
  }

  /** Reads one object or array; returns where to go on. */
  private int parse(int at, Decoder.Output out) {
    from = at;
    start = at;
    index = -1;
    if (!isUtf8Start(bytes, at)) {
      return broken("no JSON in UTF-8", out);
    }
    try (JsonParser parser = parser(bytes, at, bytes.length)) {
      JsonToken token = parser.nextToken();
      if (token == JsonToken.START_OBJECT) {
        reader.read(parser, this, out);
      } else if (token == JsonToken.START_ARRAY && arrays) {
        readArray(parser, out);
      } else if (token != null) {
        return broken("an object is wanted, found " + shown(token), out);
      }
      return tokenEnd(parser);
    } catch (IOException e) {
      return broken(firstLine(e), out);
    }
  }

  private void readArray(JsonParser parser, Decoder.Output out) throws IOException {
    int empty = start;
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      index++;
      if (token == null) {
        throw new IOException("Unexpected end-of-input within an array");
      }
      start = tokenStart(parser);
      if (token == JsonToken.START_OBJECT) {
        reader.read(parser, this, out);
      } else {
        out.deadLetter(Reasons.MALFORMED, place() + ": an object is wanted, found " + shown(token));
        parser.skipChildren();
      }
    }
    if (index < 0) {
      start = empty;
      out.deadLetter(Reasons.EMPTY, place() + ": an array with nothing in it");
    }
  }

  private static String shown(JsonToken token) {
    return switch (token) {
      case START_ARRAY -> "an array";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      default -> token.asString() == null ? token.name() : token.asString();
    };
  }

  private int broken(String detail, Decoder.Output out) {
    out.deadLetter(Reasons.MALFORMED, place() + ": " + detail);
    int at = start;
    while (at < bytes.length && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  /** The parser would take a zero byte or these marks for another encoding. */
  static boolean isUtf8Start(byte[] value, int from) {
    for (int i = from; i < Math.min(from + 4, value.length); i++) {
      if (value[i] == 0 || value[i] == (byte) 0xfe || value[i] == (byte) 0xff) {
        return false;
      }
    }
    return true;
  }

  private static int skipBlank(byte[] value, int from) {
    int at = from;
    while (at < value.length && isBlank(value[at])) {
      at++;
    }
    return at;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** What the parser says, without its place in the source and its hints to programmers. */
  static String firstLine(IOException e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf('\n');
    message = end < 0 ? message : message.substring(0, end);
    int hint = message.indexOf(": enable `");
    return hint < 0 ? message : message.substring(0, hint);
  }
}
