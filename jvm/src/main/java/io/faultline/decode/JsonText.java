package io.faultline.decode;

import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadConstraints;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadFeature;

/** What reading JSON from strangers needs, whatever the format. */
final class JsonText {
  private static final int MAX_DEPTH = 200;

  /** No hash of field names is trusted to stay within a bound, and no name is kept for ever. */
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  private JsonText() {}

  /** The parser would take a zero byte or these marks at the start for another encoding. */
  static boolean isUtf8Start(byte[] value, int from) {
    for (int i = from; i < Math.min(from + 4, value.length); i++) {
      if (value[i] == 0 || value[i] == (byte) 0xfe || value[i] == (byte) 0xff) {
        return false;
      }
    }
    return true;
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
