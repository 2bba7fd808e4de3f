package io.faultline.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.types.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeedbackSourceTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"graph\":\"shop\",\"time\":42}|shop|42",
        "{\"time\":42}|~~|42",
        "{\"graph\":\"shop\"}|shop|0",
        "[1]|~~|0",
        "no json|~~|0",
        "{\"graph\":|~~|0"
      })
  void everyRecordBecomesARowWithItsBytes(String value, String graph, long time) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    Row row = FeedbackSource.row(bytes, new ObjectMapper());
    assertEquals(graph, row.getField(0));
    assertEquals("feedback", row.getField(1));
    assertEquals(time, row.getField(2));
    assertArrayEquals(bytes, (byte[]) row.getField(3));
  }
}
