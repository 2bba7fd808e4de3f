package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoundsTest {
  private static SeriesKey bucket(String le) {
    String labels = SeriesKey.canonical(Map.of("le", le, "zone", "a"));
    return new SeriesKey("rpc_bucket", labels, null, Side.UNSAID, Kind.COUNTER, null, null);
  }

  @ParameterizedTest
  @CsvSource({
    "0.50,0.5",
    "5e-1,0.5",
    "1.0,1",
    "1,1",
    "-0,0",
    "1e3,1000",
    "Inf,+Inf",
    "+inf,+Inf",
    "Infinity,+Inf"
  })
  void aNumberHasOneSpelling(String sent, String own) {
    assertEquals(bucket(own), Bounds.canonical(bucket(sent)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "", "-Inf", "NaN"})
  void whatIsNoBoundStaysAsItIs(String sent) {
    assertTrue(Double.isNaN(Bounds.of(bucket(sent))));
    assertEquals(bucket(sent), Bounds.canonical(bucket(sent)));
  }

  @Test
  void theOwnSpellingIsTheSameObject() {
    SeriesKey key = bucket("0.005");
    assertSame(key, Bounds.canonical(key));
    assertEquals(0.005, Bounds.of(key));
    assertEquals(SeriesKey.canonical(Map.of("zone", "a")), Bounds.without(key));
  }
}
