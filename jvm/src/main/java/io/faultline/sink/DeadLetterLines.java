package io.faultline.sink;

import io.faultline.config.Json;
import io.faultline.records.Header;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.types.Row;

/**
 * A dead letter as one line of JSON: {@code topic, key, value, headers}, and {@code
 * original_headers} where its record had any. Keys and values are text where their bytes are UTF-8,
 * else {@code key_base64} and {@code value_base64}, so that the bytes can always be had back.
 */
final class DeadLetterLines {
  private DeadLetterLines() {}

  static byte[] line(Row row) throws IOException {
    ObjectNode out = Json.mapper().createObjectNode();
    out.put("topic", OutRow.topic(row));
    put(out, "key", OutRow.key(row));
    put(out, "value", OutRow.value(row));
    ObjectNode headers = out.putObject("headers");
    for (Map.Entry<String, String> header : OutRow.headers(row).entrySet()) {
      if (!OriginalHeaders.is(header.getKey())) {
        headers.put(header.getKey(), header.getValue());
      }
    }
    putOriginals(out, OriginalHeaders.of(OutRow.headers(row)));
    return Json.mapper().writeValueAsBytes(out);
  }

  private static void putOriginals(ObjectNode out, List<Header> originals) {
    if (!originals.isEmpty()) {
      ArrayNode list = out.putArray("original_headers");
      for (Header header : originals) {
        put(list.addObject().put("name", header.name()), "value", header.value());
      }
    }
  }

  private static void put(ObjectNode out, String name, byte[] bytes) {
    if (bytes == null) {
      out.putNull(name);
      return;
    }
    try {
      ByteBuffer raw = ByteBuffer.wrap(bytes);
      out.put(name, StandardCharsets.UTF_8.newDecoder().decode(raw).toString());
    } catch (CharacterCodingException e) {
      out.put(name + "_base64", Base64.getEncoder().encodeToString(bytes));
    }
  }
}
