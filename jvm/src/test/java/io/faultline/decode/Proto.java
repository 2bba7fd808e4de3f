package io.faultline.decode;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes protobuf messages for tests. */
final class Proto {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  Proto varint(int field, long value) {
    raw((long) field << 3);
    return raw(value);
  }

  Proto fixed(int field, long value) {
    raw((long) field << 3 | 1);
    out.writeBytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
    return this;
  }

  Proto real(int field, double value) {
    return fixed(field, Double.doubleToRawLongBits(value));
  }

  Proto bytes(int field, byte[] value) {
    raw((long) field << 3 | 2);
    raw(value.length);
    out.writeBytes(value);
    return this;
  }

  Proto text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  Proto message(int field, Proto value) {
    return bytes(field, value.toBytes());
  }

  Proto packed(int field, long... values) {
    ByteBuffer all = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (long value : values) {
      all.putLong(value);
    }
    return bytes(field, all.array());
  }

  Proto packed(int field, double... values) {
    long[] bits = new long[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Double.doubleToRawLongBits(values[i]);
    }
    return packed(field, bits);
  }

  /** A KeyValue with a string value. */
  Proto attribute(int field, String key, String value) {
    return message(field, new Proto().text(1, key).message(2, new Proto().text(1, value)));
  }

  /** MetricsData of one resource and one scope with these metrics. */
  static byte[] payload(Proto resource, Proto... metrics) {
    Proto scope = new Proto().message(1, new Proto());
    for (Proto metric : metrics) {
      scope.message(2, metric);
    }
    return new Proto().message(1, new Proto().message(1, resource).message(2, scope)).toBytes();
  }

  byte[] toBytes() {
    return out.toByteArray();
  }

  Proto raw(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
    return this;
  }
}
