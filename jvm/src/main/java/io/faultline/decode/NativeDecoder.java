package io.faultline.decode;

import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadFeature;

/**
 * The native format: JSON objects, one per record or one per line. An object that names a source or
 * a target and nothing of a sample is an edge. After an object that cannot be parsed, reading goes
 * on at the next line.
 */
public final class NativeDecoder implements Decoder {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER).build();

  private final NativeObject object;

  /**
   * A decoder.
   *
   * @param graph the graph of everything read, whatever the records say; null = as they say
   */
  public NativeDecoder(@Nullable String graph) {
    this.object = new NativeObject(graph);
  }

  static NativeDecoder create(IdentityConfig identity) {
    boolean graphOk = identity.graph() == null || identity.graph().value() != null;
    if (!graphOk || identity.node() != null || identity.peer() != null) {
      throw new ConfigException(
          "identity: native records name their node and peer; only graph.value can be set");
    }
    return new NativeDecoder(identity.graph() == null ? null : identity.graph().value());
  }

  @Override
  public void decode(RawRecord in, Output out) {
    byte[] value = in.value();
    if (value == null) {
      out.ignored(Reasons.TOMBSTONE);
      return;
    }
    int at = 0;
    boolean any = false;
    while (at < value.length) {
      int next = decodeFrom(value, at, any, out);
      any = true;
      at = next;
    }
    if (value.length == 0) {
      out.deadLetter(Reasons.EMPTY, "the record has no bytes");
    }
  }

  /** Reads objects from there on; returns the length, or where to go on after broken text. */
  private int decodeFrom(byte[] value, int from, boolean any, Output out) {
    int start = from;
    if (!isUtf8Start(value, from)) {
      return broken(value, from, "no JSON in UTF-8", out);
    }
    try (JsonParser parser = FACTORY.createParser(value, from, value.length - from)) {
      boolean found = any;
      while (parser.nextToken() != null) {
        found = true;
        start = from + (int) parser.currentTokenLocation().getByteOffset();
        if (parser.currentToken() != JsonToken.START_OBJECT) {
          return broken(value, start, "an object is wanted, found " + parser.getText(), out);
        }
        object.read(parser);
        String problem = object.emit(out);
        if (problem != null) {
          out.deadLetter(problem, "line " + line(value, start) + ": " + object.detail());
        }
        start = from + (int) parser.currentLocation().getByteOffset();
      }
      if (!found) {
        out.deadLetter(Reasons.EMPTY, "the record is blank");
      }
      return value.length;
    } catch (IOException e) {
      return broken(value, start, firstLine(e), out);
    }
  }

  private static int broken(byte[] value, int start, String detail, Output out) {
    int from = start;
    while (from < value.length && isBlank(value[from])) {
      from++;
    }
    out.deadLetter(Reasons.MALFORMED, "line " + line(value, from) + ": " + detail);
    int at = from;
    while (at < value.length && value[at] != '\n') {
      at++;
    }
    while (at < value.length && isBlank(value[at])) {
      at++;
    }
    return at;
  }

  /** The parser would take a zero byte or these marks for another encoding. */
  private static boolean isUtf8Start(byte[] value, int from) {
    for (int i = from; i < Math.min(from + 4, value.length); i++) {
      if (value[i] == 0 || value[i] == (byte) 0xfe || value[i] == (byte) 0xff) {
        return false;
      }
    }
    return true;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** The line of that position, from 1. */
  private static int line(byte[] value, int position) {
    int line = 1;
    for (int i = 0; i < position; i++) {
      line += value[i] == '\n' ? 1 : 0;
    }
    return line;
  }

  /** What the parser says, without its place in the source and its hints to programmers. */
  private static String firstLine(IOException e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf('\n');
    message = end < 0 ? message : message.substring(0, end);
    int hint = message.indexOf(": enable `");
    return hint < 0 ? message : message.substring(0, hint);
  }
}
