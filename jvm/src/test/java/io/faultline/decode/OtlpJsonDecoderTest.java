package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import io.faultline.records.Exemplar;
import io.faultline.records.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OtlpJsonDecoderTest {
  private static final long MS = 1767225660000L;
  private static final String TIME = "\"timeUnixNano\":\"1767225660000000000\"";
  private static final String GOOD = "{" + TIME + ",\"asInt\":\"1\"}";

  private final Decoder decoder = new OtlpJsonDecoder(IdentityConfig.DEFAULT, "shop");

  private Collected decode(String text) {
    return Collected.of(decoder, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String payload(String... metrics) {
    return "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
        + "\"value\":{\"stringValue\":\"cart\"}}]},\"scopeMetrics\":[{\"scope\":{},\"metrics\":["
        + String.join(",", metrics)
        + "]}]}]}";
  }

  private static String gauge(String... points) {
    return "{\"name\":\"m\",\"unit\":\"s\",\"gauge\":{\"dataPoints\":["
        + String.join(",", points)
        + "]}}";
  }

  private static String data(String kind, String fields) {
    return "{\"name\":\"m\",\"unit\":\"s\",\"" + kind + "\":{" + fields + "}}";
  }

  private static List<Double> values(Collected out) {
    return out.samples.stream().map(Collected.Sample::value).toList();
  }

  private static List<String> details(Collected out) {
    return out.deadLetters.stream().map(Collected.Refused::detail).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "asInt|'\"42\"'|42",
        "asInt|42|42",
        "asInt|'\"-9223372036854775808\"'|-9223372036854775808",
        "asInt|4.2e1|42",
        "asInt|'\"42.0\"'|42",
        "asInt|-0|0",
        "as_int|9007199254740992|9007199254740992",
        "asDouble|0.5|0.5",
        "asDouble|5|5",
        "asDouble|'\"1e3\"'|1000",
        "as_double|-1E-3|-0.001",
      })
  void numbersAreReadInEverySpelling(String field, String json, double value) {
    Collected out = decode(payload(gauge("{" + TIME + ",\"" + field + "\":" + json + "}")));
    assertEquals(List.of(value), values(out), () -> out.deadLetters.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "asInt|'\"abc\"'|bad_value",
        "asInt|'\"\"'|bad_value",
        "asInt|'\" 1\"'|bad_value",
        "asInt|'\"-\"'|bad_value",
        "asInt|1.5|bad_value",
        "asInt|'\"1e-1\"'|bad_value",
        "asInt|1e2147483647|bad_value",
        "asInt|'\"9223372036854775808\"'|bad_value",
        "asInt|true|bad_value",
        "asInt|{\"a\":[1]}|bad_value",
        "asInt|[1]|bad_value",
        "asDouble|'\"0x1p3\"'|bad_value",
        "asDouble|'\"1d\"'|bad_value",
        "asDouble|'\"inf\"'|bad_value",
        "asDouble|'\"1e999\"'|bad_value",
        "asDouble|1e999|bad_value",
        "asDouble|false|bad_value",
        "timeUnixNano|'\"yesterday\"'|bad_time",
        "timeUnixNano|-1|bad_time",
        "timeUnixNano|'\"18446744073709551616\"'|bad_time",
        "timeUnixNano|1767225660|bad_time",
        "startTimeUnixNano|{}|bad_time",
        "flags|'\"x\"'|bad_value",
        "flags|4294967296|bad_value",
        "attributes|{}|bad_value",
        "attributes|[1]|bad_value",
        "attributes|[null]|bad_value",
        "attributes|'[{\"key\":1}]'|bad_value",
        "attributes|'[{\"key\":\"k\",\"value\":\"v\"}]'|bad_value",
        "attributes|'[{\"key\":\"k\",\"value\":{\"bytesValue\":\"?\"}}]'|bad_value",
        "attributes|'[{\"key\":\"k\",\"value\":{\"arrayValue\":[]}}]'|bad_value",
        "exemplars|'[{\"traceId\":7}]'|bad_value",
        "exemplars|'[{\"asDouble\":\"x\"}]'|bad_value",
      })
  void aWrongTypeRefusesItsPointOnly(String field, String json, String reason) {
    String wrong = "{" + TIME + ",\"asInt\":\"2\",\"" + field + "\":" + json + "}";
    Collected out = decode(payload(gauge(GOOD, wrong, GOOD), gauge(GOOD)));
    assertEquals(List.of(1.0, 1.0, 1.0), values(out));
    assertEquals(List.of(reason), out.reasons());
    String place = "resource_metrics[0].scope_metrics[0].metrics[0].points[1] of m: ";
    assertTrue(details(out).get(0).startsWith(place), details(out)::toString);
    assertEquals(List.of(), out.ignored);
  }

  @Test
  void theDetailShowsWhatStoodThere() {
    Collected out = decode(payload(gauge("{" + TIME + ",\"asInt\":\"abc\",\"asDouble\":\"x\"}")));
    assertEquals(
        List.of(
            "resource_metrics[0].scope_metrics[0].metrics[0].points[0] of m: "
                + "asInt: an integer of 64 bits is wanted, found \"abc\""),
        details(out));
  }

  @Test
  void whatHoldsPointsIsRefusedAsAWhole() {
    String badUnit = "{\"name\":\"n\",\"unit\":5,\"gauge\":{\"dataPoints\":[" + GOOD + "]}}";
    String noList = data("gauge", "\"dataPoints\":7");
    String noObject = "{\"name\":\"o\",\"sum\":[]}";
    Collected out = decode(payload(badUnit, noList, noObject, "null", gauge(GOOD)));
    assertEquals(List.of(1.0), values(out));
    assertEquals(Collections.nCopies(4, "bad_value"), out.reasons());
    String scope = "resource_metrics[0].scope_metrics[0].";
    assertEquals(scope + "metrics[0] of n: unit: text is wanted, found 5", details(out).get(0));
    assertEquals(
        scope + "metrics[3]: metrics: an object is wanted, found null", details(out).get(3));
    Collected resource =
        decode(
            "{\"resourceMetrics\":[{\"resource\":{\"attributes\":5},\"scopeMetrics\":[{}]},"
                + payload(gauge(GOOD)).substring(20));
    assertEquals(List.of(1.0), values(resource));
    assertEquals(
        List.of("resource_metrics[0]: attributes: a list is wanted, found 5"), details(resource));
    Collected inScope =
        decode(payload(gauge(GOOD)).replace("\"scope\":{}", "\"scope\":{\"name\":[]}"));
    assertEquals(
        List.of("resource_metrics[0].scope_metrics[0]: name: text is wanted, found a list"),
        details(inScope));
    assertTrue(inScope.samples.isEmpty());
    Collected record = decode("{\"resourceMetrics\":{\"a\":1}}");
    assertEquals(
        List.of("record: resourceMetrics: a list is wanted, found an object"), details(record));
  }

  @Test
  void nullIsAsIfNotThere() {
    String point =
        "{" + TIME + ",\"asInt\":null,\"asDouble\":2,\"flags\":null,\"attributes\":null}";
    String metric =
        "{\"name\":\"m\",\"sum\":null,\"unit\":null,\"gauge\":{\"dataPoints\":[" + point + "]}}";
    Collected out = decode(payload(metric).replace("\"scope\":{}", "\"scope\":null"));
    assertEquals(List.of(2.0), values(out));
    assertEquals(List.of(), out.deadLetters);
  }

  @Test
  void namesOfEnumerationsAreTaken() {
    for (String delta : List.of("1", "\"1\"", "\"AGGREGATION_TEMPORALITY_DELTA\"")) {
      String fields = "\"dataPoints\":[" + GOOD + "],\"aggregation_temporality\":" + delta;
      Collected out = decode(payload(data("sum", fields + ",\"is_monotonic\":true")));
      assertEquals(Kind.DELTA, out.samples.get(0).key().kind(), delta);
    }
    String later = "\"dataPoints\":[" + GOOD + "],\"aggregationTemporality\":";
    assertEquals(List.of("unsupported"), decode(payload(data("sum", later + 9))).reasons());
    assertEquals(List.of("bad_value"), decode(payload(data("sum", later + "\"X\""))).reasons());
  }

  @Test
  void theOrderOfFieldsDoesNotMatter() {
    String text =
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"gauge\":{\"dataPoints\":["
            + GOOD
            + "]},\"unit\":\"By\",\"name\":\"late\"}],\"scope\":{\"name\":\"lib\"}}],"
            + "\"resource\":{\"attributes\":[{\"value\":{\"stringValue\":\"cart\"},"
            + "\"key\":\"service.name\"}]}}]}";
    Collected.Sample sample = decode(text).sample("late");
    assertEquals("cart", sample.node());
    assertEquals("By", sample.key().unit());
    assertEquals("lib", sample.key().label("otel.scope.name"));
  }

  @Test
  void identifiersAreHexadecimal() {
    String trace = "5B8EFFF798038103D269B633813FC60C";
    String point =
        "{"
            + TIME
            + ",\"asInt\":\"1\",\"exemplars\":[{\"traceId\":\""
            + trace
            + "\",\"spanId\":\"eee19b7ec3c1b174\",\"asDouble\":0.25,"
            + TIME
            + "},{\"traceId\":\"W47/95gDgQPSabYzgT/GDA==\"},{\"traceId\":\"\"},{}]}";
    Collected out = decode(payload(gauge(point)));
    assertEquals(
        List.of(new Exemplar("5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", 0.25, MS)),
        out.exemplars);
    assertEquals(1, out.samples.size());
  }

  /** What a file exporter writes: a request on each line. */
  @Test
  void requestsOneAfterTheOtherAreRead() {
    String bad = payload(gauge("{" + TIME + ",\"asInt\":[]}"));
    Collected out = decode(payload(gauge(GOOD)) + "\n" + bad + "\r\n\n" + payload(gauge(GOOD)));
    assertEquals(List.of(1.0, 1.0), values(out));
    assertTrue(details(out).get(0).startsWith("resource_metrics[1].scope_metrics[0]"));
  }

  @Test
  void recordsWithNothingOfOtlpInThem() {
    assertEquals(List.of("tombstone"), Collected.of(decoder, null).ignored);
    assertEquals(List.of("empty"), decode("").reasons());
    assertEquals(List.of("empty"), decode(" \n").reasons());
    for (String text :
        List.of("{}", "{\"resourceSpans\":[]}", "[1]", "7", "\"x\"", "null", "hello")) {
      assertEquals(List.of("malformed"), decode(text).reasons(), text);
    }
    byte[] utf16 = payload(gauge(GOOD)).getBytes(StandardCharsets.UTF_16);
    assertEquals(List.of("malformed"), Collected.of(decoder, utf16).reasons());
    for (String text : List.of("{\"resourceMetrics\":[]}", "{\"resource_metrics\":null}")) {
      Collected out = decode(text);
      assertEquals(1, out.reasons().size() + out.ignored.size(), text);
      assertTrue(out.samples.isEmpty());
    }
  }

  @Test
  void theBreakInTheTextIsNamed() {
    String whole = payload(gauge(GOOD, GOOD));
    int at = whole.lastIndexOf("\"asInt\"");
    Collected out = decode(whole.substring(0, at) + "?" + whole.substring(at));
    assertEquals(List.of(1.0), values(out));
    assertEquals(List.of("malformed"), out.reasons());
    String detail = details(out).get(0);
    String place = " of the record, in resource_metrics[0].scope_metrics[0].metrics[0].points[1]: ";
    assertTrue(detail.startsWith("byte " + (at + 1) + place), detail);
    assertTrue(detail.contains("Unexpected character ('?'"), detail);
  }

  /** Kept is only what the rest of the text cannot give another meaning. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"m\",\"gauge\":{\"dataPoints\":[@", // the unit may follow
        "{\"unit\":\"s\",\"gauge\":{\"dataPoints\":[@", // the name may follow
        "{\"name\":\"m\",\"unit\":\"s\",\"sum\":{\"dataPoints\":[@", // how it adds up may follow
        "{\"name\":\"m\",\"unit\":\"s\",\"sum\":{\"aggregationTemporality\":2,\"dataPoints\":[@",
        "{\"name\":\"m\",\"unit\":\"s\",\"histogram\":{\"dataPoints\":[@"
      })
  void halfAMeaningIsNone(String start) {
    String text = payload(gauge(GOOD), start.replace("@", GOOD));
    Collected out = decode(text.substring(0, text.length() - 7));
    assertEquals(List.of("m"), out.samples.stream().map(s -> s.key().metric()).toList());
    assertEquals(List.of("malformed"), out.reasons());
    String noResource = "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"scope\":{},\"metrics\":[";
    assertTrue(decode(noResource + gauge(GOOD) + ",").samples.isEmpty());
    String noScope = payload(gauge(GOOD)).replace("\"scope\":{},", "");
    assertTrue(decode(noScope.substring(0, noScope.length() - 7) + ",").samples.isEmpty());
  }

  @Test
  void nestingWithoutEndIsRefused() {
    String deep = "{\"arrayValue\":{\"values\":[".repeat(5_000);
    String point = "{" + TIME + ",\"asInt\":1,\"attributes\":[{\"key\":\"k\",\"value\":" + deep;
    Collected out = decode(payload(gauge(GOOD, point)));
    assertEquals(List.of(1.0), values(out));
    assertEquals(List.of("malformed"), out.reasons());
    String some = "{\"arrayValue\":{\"values\":[".repeat(20) + "]}}".repeat(20);
    String nested =
        "{" + TIME + ",\"asInt\":2,\"attributes\":[{\"key\":\"k\",\"value\":" + some + "}]}";
    Collected twenty = decode(payload(gauge(GOOD, nested, GOOD)));
    assertEquals(List.of(1.0, 1.0), values(twenty));
    assertTrue(details(twenty).get(0).endsWith("an attribute is nested too deeply"));
  }
}
