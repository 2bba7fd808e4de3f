package io.faultline.decode;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.io.JsonStringEncoder;

/**
 * One OTLP message written in both encodings at once. With a source of chance the JSON uses every
 * spelling that readers must take: names as in the schema, numbers as text, fields in any order,
 * null, and fields that nobody knows.
 */
final class OtlpMessage {
  private final Proto proto = new Proto();
  private final List<String> fields = new ArrayList<>();
  private final Random chance;

  OtlpMessage(Random chance) {
    this.chance = chance;
  }

  /** A message with the plainest JSON. */
  OtlpMessage() {
    this(null);
  }

  private boolean maybe(int oneIn) {
    return chance != null && chance.nextInt(oneIn) == 0;
  }

  private OtlpMessage add(String name, String value) {
    String spelt = name;
    if (maybe(3)) {
      spelt = name.replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT);
    }
    fields.add('"' + spelt + "\":" + value);
    return this;
  }

  private String number(String digits) {
    if (chance == null || maybe(2)) {
      return '"' + digits + '"';
    }
    return maybe(4) && !digits.contains("E") && !digits.contains(".") ? digits + ".0" : digits;
  }

  OtlpMessage text(int field, String name, String value) {
    proto.text(field, value);
    return add(name, '"' + new String(JsonStringEncoder.getInstance().quoteAsString(value)) + '"');
  }

  OtlpMessage bool(int field, String name, boolean value) {
    proto.varint(field, value ? 1 : 0);
    return add(name, String.valueOf(value));
  }

  OtlpMessage varint(int field, String name, long value) {
    proto.varint(field, value);
    return add(name, number(Long.toString(value)));
  }

  OtlpMessage zigzag(int field, String name, int value) {
    proto.varint(field, ((long) value << 1 ^ (long) value >> 63));
    return add(name, number(Integer.toString(value)));
  }

  OtlpMessage unsigned(int field, String name, long value) {
    proto.fixed(field, value);
    return add(name, number(Long.toUnsignedString(value)));
  }

  OtlpMessage signed(int field, String name, long value) {
    proto.fixed(field, value);
    return add(name, number(Long.toString(value)));
  }

  OtlpMessage real(int field, String name, double value) {
    proto.real(field, value);
    return add(name, real(value));
  }

  private String real(double value) {
    boolean plain = Double.isFinite(value) && (chance == null || maybe(2));
    return plain ? Double.toString(value) : '"' + Double.toString(value) + '"';
  }

  /** A value of an enumeration: its number or, by chance, its name. */
  OtlpMessage named(int field, String name, int value, String valueName) {
    proto.varint(field, value);
    return add(name, maybe(2) ? '"' + valueName + '"' : Integer.toString(value));
  }

  OtlpMessage hex(int field, String name, byte[] value) {
    proto.bytes(field, value);
    String text = HexFormat.of().formatHex(value);
    return add(name, '"' + (maybe(2) ? text.toUpperCase(java.util.Locale.ROOT) : text) + '"');
  }

  OtlpMessage base64(int field, String name, byte[] value) {
    proto.bytes(field, value);
    Base64.Encoder encoder = maybe(2) ? Base64.getUrlEncoder().withoutPadding() : null;
    return add(
        name, '"' + (encoder == null ? Base64.getEncoder() : encoder).encodeToString(value) + '"');
  }

  OtlpMessage counts(int field, String name, long... values) {
    proto.packed(field, values);
    return add(name, list(values, v -> number(Long.toUnsignedString(v))));
  }

  OtlpMessage varints(int field, String name, long... values) {
    Proto all = new Proto();
    for (long value : values) {
      all.raw(value);
    }
    proto.message(field, all);
    return add(name, list(values, v -> number(Long.toUnsignedString(v))));
  }

  OtlpMessage reals(int field, String name, double... values) {
    proto.packed(field, values);
    List<String> out = new ArrayList<>();
    for (double value : values) {
      out.add(real(value));
    }
    return add(name, out.toString());
  }

  private static String list(long[] values, Function<Long, String> text) {
    List<String> out = new ArrayList<>();
    for (long value : values) {
      out.add(text.apply(value));
    }
    return out.toString();
  }

  OtlpMessage message(int field, String name, OtlpMessage value) {
    proto.message(field, value.proto);
    return add(name, value.json());
  }

  OtlpMessage messages(int field, String name, List<OtlpMessage> values) {
    values.forEach(value -> proto.message(field, value.proto));
    return add(name, values.stream().map(OtlpMessage::json).toList().toString());
  }

  OtlpMessage messages(int field, String name, OtlpMessage... values) {
    return messages(field, name, List.of(values));
  }

  /** A KeyValue with text in it, as the attributes of a message with that field. */
  static OtlpMessage attribute(String key, String value) {
    OtlpMessage any = new OtlpMessage().text(1, "stringValue", value);
    return new OtlpMessage().text(1, "key", key).message(2, "value", any);
  }

  byte[] proto() {
    return proto.toBytes();
  }

  String json() {
    List<String> all = new ArrayList<>(fields);
    if (maybe(4)) {
      all.add("\"someLaterField\":{\"deep\":[1,{\"x\":null}],\"name\":\"y\"}");
    }
    if (maybe(6)) {
      all.add("\"description\":null");
    }
    if (maybe(2)) {
      Collections.shuffle(all, chance);
    }
    return "{" + String.join(maybe(2) ? ",\n " : ",", all) + "}";
  }
}
