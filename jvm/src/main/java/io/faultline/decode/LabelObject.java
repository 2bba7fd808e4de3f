package io.faultline.decode;

import java.io.IOException;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/** A flat JSON object of strings. */
final class LabelObject {
  private LabelObject() {}

  /**
   * Reads the object in that range; a null is left out.
   *
   * @param what the object's name, for a person
   * @return what is wrong with it, or null
   */
  @Nullable
  static String read(byte[] bytes, int from, int to, String what, Map<String, String> into) {
    into.clear();
    if (from == to) {
      return null;
    }
    try (JsonParser parser = JsonRecords.parser(bytes, from, to)) {
      String problem = null;
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken token = parser.nextToken();
        if (token == JsonToken.VALUE_STRING) {
          into.put(Labels.clean(name), Labels.clean(parser.getText()));
        } else if (token != JsonToken.VALUE_NULL) {
          problem = what + "." + name + ": a string is wanted";
          parser.skipChildren();
        }
      }
      return problem;
    } catch (IOException e) {
      return what + ": " + JsonRecords.firstLine(e);
    }
  }
}
