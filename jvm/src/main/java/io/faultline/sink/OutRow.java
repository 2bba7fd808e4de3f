package io.faultline.sink;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.types.Row;

/** The row that every output has: topic, key, value, headers. */
public final class OutRow {
  public static final TypeInformation<Row> TYPE =
      Types.ROW_NAMED(
          new String[] {"topic", "key", "value", "headers"},
          Types.STRING,
          Types.PRIMITIVE_ARRAY(Types.BYTE),
          Types.PRIMITIVE_ARRAY(Types.BYTE),
          Types.MAP(Types.STRING, Types.STRING));

  private OutRow() {}

  public static Row of(
      String topic, @Nullable byte[] key, @Nullable byte[] value, Map<String, String> headers) {
    return Row.of(topic, key, value, headers);
  }

  public static String topic(Row row) {
    String topic = (String) row.getField(0);
    if (topic == null) {
      throw new IllegalArgumentException("a row without a topic");
    }
    return topic;
  }

  @Nullable
  public static byte[] key(Row row) {
    return bytes(row.getField(1));
  }

  @Nullable
  public static byte[] value(Row row) {
    return bytes(row.getField(2));
  }

  /** Python may hand over text or boxed bytes. */
  @Nullable
  private static byte[] bytes(@Nullable Object field) {
    if (field instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    if (field instanceof Byte[] boxed) {
      byte[] out = new byte[boxed.length];
      for (int i = 0; i < out.length; i++) {
        out[i] = boxed[i];
      }
      return out;
    }
    return (byte[]) field;
  }

  /** Never null. */
  @SuppressWarnings("unchecked")
  public static Map<String, String> headers(Row row) {
    Map<String, String> headers = (Map<String, String>) row.getField(3);
    return headers == null ? Map.of() : headers;
  }
}
