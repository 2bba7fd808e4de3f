package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.ConfigException;
import io.faultline.config.FormatConfig;
import io.faultline.config.IdentityConfig;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TelegrafDecoderTest {
  private static final long T0 = 1_767_225_600_000L;
  private static final String AT = " 1767225600000000000";
  private static final String METRIC =
      "{\"fields\":{\"a\":1,\"b\":2.5},\"name\":\"cpu\",\"tags\":{\"host\":\"n1\"},"
          + "\"timestamp\":1767225600}";

  private final Decoder decoder =
      Decoders.create(Decoders.TELEGRAF, IdentityConfig.DEFAULT, "shop");

  private Collected decode(String text) {
    return Collected.of(decoder, text.getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> told(Collected out) {
    return out.samples.stream()
        .map(s -> s.graph() + "/" + s.node() + " " + s.key().metric() + "=" + s.value())
        .toList();
  }

  @Test
  void aLineIsRead() {
    Collected out =
        decode("nginx,host=n1,port=80 requests=1027i,accepts=85u,up=true,load=-.5e1" + AT);
    assertEquals(
        List.of(
            "shop/n1 nginx_requests=1027.0",
            "shop/n1 nginx_accepts=85.0",
            "shop/n1 nginx_up=1.0",
            "shop/n1 nginx_load=-5.0"),
        told(out));
    assertEquals(Map.of("port", "80"), out.samples.get(0).key().labelMap());
    assertEquals(T0, out.samples.get(0).time());
  }

  @Test
  void escapesAreReadAndOnlyTheirs() {
    Collected out =
        decode(
            "my\\ cpu\\,x=y,app=a\\ b,p\\=q=c\\\\d\\e\\=f,host=h f\\ 1\\,\\=2=1,s=\"a \\\" b, c=d"
                + " \\\\\" "
                + AT);
    assertEquals(List.of("shop/a b my cpu,x=y_f 1,=2=1.0"), told(out));
    assertEquals(Map.of("p=q", "c\\\\d\\e=f", "host", "h"), out.samples.get(0).key().labelMap());
    assertEquals(List.of("non_numeric"), out.ignored);
  }

  @Test
  void commentsBlankLinesAndLineEndsOfAnyKindAreRead() {
    Collected out =
        decode(
            "# c\r\n\r\n  \n a,host=x v=1"
                + AT
                + "\r\n  # d\na,host=x  v=2  "
                + AT.trim()
                + "  \n");
    assertEquals(List.of("shop/x a_v=1.0", "shop/x a_v=2.0"), told(out));
    assertEquals(List.of("empty"), decode("# nothing\n").reasons());
  }

  @Test
  void textMayHoldALineEnd() {
    Collected out =
        decode("a,host=x s=\"one\ntwo\",v=1" + AT + "\nb v=" + AT + "\na,host=x v=2" + AT);
    assertEquals(List.of("shop/x a_v=1.0", "shop/x a_v=2.0"), told(out));
    assertTrue(out.deadLetters.get(0).detail().startsWith("line 3: "), () -> "" + out.deadLetters);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cpu",
        "cpu,host=a",
        "cpu v",
        "cpu v=",
        "cpu v= 1",
        "cpu =1",
        "cpu v=1,",
        "cpu v=1,,w=2",
        "cpu v=1 now",
        "cpu v=1 1767225600000000000 2",
        "cpu v=1 17672.5",
        "cpu v=1 -",
        ",host=a v=1",
        "cpu, v=1",
        "cpu,host v=1",
        "cpu,host= v=1",
        "cpu,=a v=1",
        "cpu,host=a=b v=1",
        "cpu,host=a,host=b v=1",
        "cpu,host=web 1,svc=cart v=1",
        "disk,drive=D:\\,svc=cart used=71.2",
        "cpu,host=a\\",
        "cpu v=1.2.3",
        "cpu v=0x10",
        "cpu v=NaN",
        "cpu v=inf",
        "cpu v=yes",
        "cpu v=tRUE",
        "cpu v=1.5i",
        "cpu v=i",
        "cpu v=-1u",
        "cpu v=\"open",
        "cpu v=\"a\"b",
        "'cpu v=1\t'",
        "cp\tu v=1",
      })
  void whatHasNoLegalReadingIsMalformedAndTakesNoOther(String line) {
    String good = "a,host=x v=1" + AT;
    Collected out = decode(good + "\n" + line + "\n" + good);
    assertEquals(List.of("malformed"), out.reasons());
    assertTrue(out.deadLetters.get(0).detail().startsWith("line 2: "));
    assertEquals(List.of("shop/x a_v=1.0", "shop/x a_v=1.0"), told(out));
    assertTrue(out.ignored.isEmpty());
  }

  @Test
  void namesMustBeUtf8() {
    byte[] bytes = ("a,host=x v=1" + AT).getBytes(StandardCharsets.ISO_8859_1);
    bytes[7] = (byte) 0xff;
    assertEquals(List.of("malformed"), Collected.of(decoder, bytes).reasons());
    assertEquals(List.of("shop/w\u00ebb a_v=1.0"), told(decode("a,host=w\u00ebb v=1" + AT)));
  }

  @Test
  void numbersThatCannotBeHeldTakeNoOther() {
    Collected out =
        decode(
            "a,host=x"
                + " v=1e999,w=9223372036854775808i,x=18446744073709551615u,y=-9223372036854775808i"
                + AT);
    assertEquals(List.of("bad_value", "bad_value"), out.reasons());
    assertEquals(
        List.of("shop/x a_x=1.8446744073709552E19", "shop/x a_y=-9.223372036854776E18"), told(out));
  }

  @Test
  void aLineWithoutATimeHasThatOfItsRecord() {
    byte[] bytes = "a,host=x v=1".getBytes();
    Collected out = new Collected();
    decoder.decode(new RawRecord("t", 0, 0, T0, null, bytes), out);
    assertEquals(T0, out.samples.get(0).time());
    assertEquals(List.of("missing_field"), Collected.of(decoder, bytes).reasons());
  }

  @ParameterizedTest
  @CsvSource({
    "1767225600",
    "1767225600000",
    "-1",
    "0",
    "99999999999999999999999",
    "-9223372036854775808"
  })
  void timesInOtherUnitsAreBad(String time) {
    assertEquals(List.of("bad_time"), decode("a,host=x v=1 " + time).reasons());
  }

  @Test
  void anObjectIsRead() {
    Collected out = decode(METRIC);
    assertEquals(List.of("shop/n1 cpu_a=1.0", "shop/n1 cpu_b=2.5"), told(out));
    assertEquals(T0, out.samples.get(0).time());
    assertEquals("", out.samples.get(0).key().labels());
  }

  @Test
  void batchesAndArraysAndLinesOfObjectsAreRead() {
    for (String text :
        List.of(
            "{\"metrics\":[" + METRIC + "," + METRIC + "]}",
            "[" + METRIC + "," + METRIC + "]",
            METRIC + "\n" + METRIC + "\n",
            "{\"more\":1,\"metrics\":[" + METRIC + "]}\n\n  [" + METRIC + "]")) {
      Collected out = decode(text);
      assertEquals(4, out.samples.size(), text);
      assertTrue(out.deadLetters.isEmpty(), text);
      assertSame(out.samples.get(0).key(), out.samples.get(2).key());
    }
  }

  @Test
  void oneBadMetricTakesNoOtherOfItsBatch() {
    String bad = METRIC.replace("1767225600", "true");
    Collected out = decode("{\"metrics\":[" + METRIC + "," + bad + ",7,{}," + METRIC + "]}");
    assertEquals(4, out.samples.size());
    assertEquals(List.of("bad_time", "malformed", "missing_field"), out.reasons());
    assertTrue(out.deadLetters.get(0).detail().startsWith("line 1: metrics[1]: timestamp"));
    assertTrue(out.deadLetters.get(2).detail().startsWith("line 1: metrics[3]: name"));
    assertEquals(List.of("empty"), decode("{\"metrics\":[]}").reasons());
  }

  @Test
  void fieldsThatAreNoNumbersAreIgnoredOneByOne() {
    Collected out =
        decode(
            METRIC.replace(
                "\"b\":2.5",
                "\"b\":\"12\",\"c\":[1],\"d\":{\"e\":2},\"f\":false,\"g\":1e999,\"h\":null"));
    assertEquals(List.of("shop/n1 cpu_a=1.0", "shop/n1 cpu_f=0.0"), told(out));
    assertEquals(
        List.of("non_numeric", "non_numeric", "non_numeric", "no_recorded_value"), out.ignored);
    assertEquals(List.of("bad_value"), out.reasons());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"name\":\"cpu\"|\"name\":\" \"|missing_field",
        "\"name\":\"cpu\"|\"name\":7|bad_value",
        "\"name\":\"cpu\",||missing_field",
        "{\"a\":1,\"b\":2.5}|{}|missing_field",
        "{\"a\":1,\"b\":2.5}|[1]|bad_value",
        "\"host\":\"n1\"|\"host\":1|bad_value",
        "{\"host\":\"n1\"}|7|bad_value",
        ",\"timestamp\":1767225600||missing_field",
        "1767225600|1767225600000|bad_time",
        "1767225600|99999999999999999999|bad_time",
        "1767225600|\"soon\"|bad_time",
        "1767225600|NaN|malformed",
      })
  void wrongObjectsAreDeadLetters(String part, String with, String reason) {
    String text = METRIC.replace(part, with == null ? "" : with);
    Collected out = decode(text);
    assertEquals(List.of(reason), out.reasons(), text);
    assertTrue(out.samples.isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "1s, 1767225600.25",
    "1ms, 1767225600250",
    "1us, 1767225600250999",
    "1ns, 1767225600250999999",
    "1s, '\"2026-01-01T00:00:00.25Z\"'"
  })
  void unitsOfTimesAreThoseConfigured(String units, String time) {
    FormatConfig config = new FormatConfig(Decoders.TELEGRAF, null, units, null, null, null);
    Collected out =
        Collected.of(
            Decoders.create(config, "shop"), METRIC.replace("1767225600", time).getBytes());
    assertEquals(T0 + 250, out.samples.get(0).time(), () -> out.deadLetters.toString());
  }

  @Test
  void unknownUnitsAreRefused() {
    FormatConfig config = new FormatConfig(Decoders.TELEGRAF, null, "1m", null, null, null);
    assertThrows(ConfigException.class, () -> Decoders.create(config, "shop"));
  }

  @Test
  void whatTelegrafScrapedKeepsItsName() {
    Collected out = decode("prometheus,service=cart,le=1 http_duration_bucket=3" + AT);
    assertEquals(List.of("shop/cart http_duration_bucket=3.0"), told(out));
  }

  @Test
  void identityCanBeGivenByTag() {
    IdentityConfig identity =
        new IdentityConfig(
            new Attribute(null, null, null, "env"),
            List.of(new Attribute(null, null, null, "svc")),
            null);
    Decoder named = Decoders.create(Decoders.TELEGRAF, identity, "shop");
    Collected out = Collected.of(named, ("cpu,host=a,svc=cart,env=eu v=1" + AT).getBytes());
    assertEquals(List.of("eu/cart cpu_v=1.0"), told(out));
    assertEquals(Map.of("host", "a"), out.samples.get(0).key().labelMap());
    assertEquals(
        List.of("unnamed_node"), Collected.of(named, ("cpu,host=a v=1" + AT).getBytes()).ignored);
  }
}
