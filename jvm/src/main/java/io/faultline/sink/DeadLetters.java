package io.faultline.sink;

import io.faultline.records.DeadLetter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.types.Row;

/**
 * Dead letters as rows: original key and value, and in the headers where they came from and why.
 */
public final class DeadLetters {
  private static final String PREFIX = "faultline.error.";

  private DeadLetters() {}

  public static Row row(DeadLetter letter) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(PREFIX + "topic", letter.topic());
    headers.put(PREFIX + "partition", Integer.toString(letter.partition()));
    headers.put(PREFIX + "offset", Long.toString(letter.offset()));
    headers.put(PREFIX + "timestamp", Long.toString(letter.timestamp()));
    headers.put(PREFIX + "format", letter.format());
    headers.put(PREFIX + "reason", letter.reason());
    headers.put(PREFIX + "detail", letter.detail());
    return OutRow.of(Topics.DEAD_LETTERS, letter.key(), letter.value(), headers);
  }
}
