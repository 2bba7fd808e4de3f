package io.faultline.sink;

import io.faultline.records.DeadLetter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.types.Row;

/**
 * Dead letters as rows: original key, value and headers, and in headers of their own where they
 * came from and why. With those a record could be larger than what a broker takes, and the job
 * would stop at it: a value beyond a limit is cut, and a header tells how long it was.
 */
public final class DeadLetters {
  private static final String PREFIX = "faultline.error.";

  /** Brokers and producers take about 1 MiB unless they are told otherwise. */
  private static final int LARGEST = 900_000;

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
    OriginalHeaders.put(letter.headers(), headers);
    byte[] value = letter.value();
    if (value != null && value.length > LARGEST) {
      headers.put(PREFIX + "value_bytes", Integer.toString(value.length));
      value = Arrays.copyOf(value, LARGEST);
    }
    return OutRow.of(Topics.DEAD_LETTERS, letter.key(), value, headers);
  }
}
