package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.config.IdentityConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Payloads of many points of which some are damaged: what is read and what is refused add up to
 * what went in, exactly, and every point that was left alone is read as it was sent.
 */
class ConservationTest {
  private static final int ROUNDS = 300;
  private static final String NANOS = " 1767225600000000000";

  private static final List<Edit> OBJECT_DAMAGE =
      List.of(
          new Edit("\"v\":", "\"v\":\"x\",\"w\":"),
          new Edit("\"t\":", "\"t\":false,\"w\":"),
          new Edit("\"t\":", "\"u\":"),
          new Edit("\"v\":", "\"u\":"));

  /** Damage that only a format of one object per line survives. */
  private static final List<Edit> LINE_DAMAGE =
      List.of(
          new Edit("\"v\":", "\"v\":NaN,\"w\":"),
          new Edit("{", "("),
          new Edit("}", ""),
          new Edit("\"v\":", "\"v:"),
          new Edit("\"t\":", "\"t\" 1:"));

  private static final List<Edit> INFLUX_DAMAGE =
      List.of(
          new Edit("=n ", "=n\\ "),
          new Edit("v=", "v=\"x\""),
          new Edit(",host", " host"),
          new Edit("host=", "host=,"),
          new Edit("v=", "v=x"),
          new Edit("v=", "="),
          new Edit(NANOS, NANOS + "x"),
          new Edit(NANOS, " 1767225600"));

  /** A part of a point's text and what is put in its place. */
  private record Edit(String part, String with) {
    String apply(String point) {
      assertEquals(true, point.contains(part), point + " has no " + part);
      return point.replace(part, with);
    }
  }

  /**
   * How points are written.
   *
   * @param point the text of a point, %d its value; "v" and "t" name value and time in the edits
   * @param valueKey what the format calls the value
   * @param timeKey what the format calls the time
   */
  private record Shape(
      String format,
      String point,
      String valueKey,
      String timeKey,
      List<Edit> edits,
      String before,
      String between,
      String after) {

    String text(int value) {
      return point.formatted(value);
    }

    String damaged(int value, Edit edit) {
      Edit named = new Edit(named(edit.part()), named(edit.with()));
      return named.apply(text(value));
    }

    private String named(String text) {
      return text.replace("\"v", '"' + valueKey).replace("\"t", '"' + timeKey);
    }

    @Override
    public String toString() {
      return format + " " + before + between.strip();
    }
  }

  static Stream<Shape> shapes() {
    String plain =
        "{\"graph\":\"g\",\"node\":\"n\",\"metric\":\"m\",\"value\":%d,\"time\":1767225600000}";
    String prometheus =
        "{\"labels\":{\"job\":\"n\"},\"name\":\"m\",\"value\":%d,\"timestamp\":\"2026-01-01T00:00:00Z\"}";
    String telegraf =
        "{\"fields\":{\"a\":%d},\"name\":\"m\",\"tags\":{\"host\":\"n\"},\"timestamp\":1767225600}";
    List<Edit> lines = new ArrayList<>(OBJECT_DAMAGE);
    lines.addAll(LINE_DAMAGE);
    List<Edit> braced = lines.stream().filter(edit -> !edit.part().equals("{")).toList();
    String influx = "m,host=n v=%d" + NANOS;
    return Stream.of(
        new Shape(Decoders.NATIVE, plain, "value", "time", lines, "", "\n", "\n"),
        new Shape(Decoders.PROMETHEUS, prometheus, "value", "timestamp", lines, "", "\r\n", ""),
        new Shape(
            Decoders.PROMETHEUS, prometheus, "value", "timestamp", OBJECT_DAMAGE, "[", ",", "]"),
        new Shape(Decoders.TELEGRAF, telegraf, "fields", "timestamp", braced, "", "\n", ""),
        new Shape(
            Decoders.TELEGRAF, telegraf, "fields", "timestamp", OBJECT_DAMAGE, "[", ", ", "]"),
        new Shape(
            Decoders.TELEGRAF,
            telegraf,
            "fields",
            "timestamp",
            OBJECT_DAMAGE,
            "{\"metrics\":[",
            ",",
            "]}"),
        new Shape(Decoders.TELEGRAF, influx, "", "", INFLUX_DAMAGE, "# c\n", "\n\n", "\r\n"));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void whatIsReadAndWhatIsRefusedAddUp(Shape shape) {
    Random random = new Random(3);
    Decoder decoder = Decoders.create(shape.format(), IdentityConfig.DEFAULT, "g");
    for (int round = 0; round < ROUNDS; round++) {
      int points = 1 + random.nextInt(20);
      List<String> texts = new ArrayList<>();
      List<Double> whole = new ArrayList<>();
      for (int i = 0; i < points; i++) {
        if (random.nextInt(3) == 0) {
          Edit edit = shape.edits().get(random.nextInt(shape.edits().size()));
          texts.add(shape.damaged(i, edit));
        } else {
          texts.add(shape.text(i));
          whole.add((double) i);
        }
      }
      String payload = shape.before() + String.join(shape.between(), texts) + shape.after();
      Collected out = Collected.of(decoder, payload.getBytes(StandardCharsets.UTF_8));
      assertEquals(whole, out.samples.stream().map(Collected.Sample::value).toList(), payload);
      assertEquals(points - whole.size(), out.deadLetters.size(), () -> payload + out.deadLetters);
      assertEquals(List.of(), out.ignored);
    }
  }
}
