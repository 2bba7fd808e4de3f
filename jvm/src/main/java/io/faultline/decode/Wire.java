package io.faultline.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads the protobuf wire format from a range of bytes, one field at a time. Nested messages are
 * read by another reader over {@link #from} to {@link #to}. Groups are refused.
 */
final class Wire {
  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int BYTES = 2;
  static final int FIXED32 = 5;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] buffer;
  private int at;
  private int end;

  /** Number of the current field. */
  int field;

  /** Wire type of the current field. */
  int type;

  /** Where the tag of the current field begins. */
  int tag;

  /** Where the content of the current field begins. */
  int from;

  /** Where the content of the current field ends. */
  int to;

  /** The value of a varint or a fixed field, as bits. */
  long bits;

  Wire over(byte[] buffer, int from, int to) {
    this.buffer = buffer;
    this.at = from;
    this.end = to;
    return this;
  }

  /** This reader over the content of another's current field. */
  Wire into(Wire outer) throws WireException {
    outer.expect(BYTES);
    return over(outer.buffer, outer.from, outer.to);
  }

  /** Moves to the next field; false at the end. */
  boolean next() throws WireException {
    if (at == end) {
      return false;
    }
    tag = at;
    long key = varint();
    field = (int) (key >>> 3);
    type = (int) (key & 7);
    if (field == 0 || key >>> 32 != 0) {
      throw new WireException("no field has this number");
    }
    from = at;
    switch (type) {
      case VARINT -> bits = varint();
      case FIXED64 -> fixed64();
      case BYTES -> bytes();
      case FIXED32 -> fixed32();
      default -> throw new WireException("wire type " + type + " is not in use");
    }
    to = at;
    return true;
  }

  /** Throws unless the current field has this wire type. */
  void expect(int wanted) throws WireException {
    if (type != wanted) {
      throw new WireException("field " + field + " has wire type " + type + ", not " + wanted);
    }
  }

  long fixed() throws WireException {
    expect(FIXED64);
    return bits;
  }

  double real() throws WireException {
    expect(FIXED64);
    return Double.longBitsToDouble(bits);
  }

  long integer() throws WireException {
    expect(VARINT);
    return bits;
  }

  String text() throws WireException {
    expect(BYTES);
    return new String(buffer, from, to - from, StandardCharsets.UTF_8);
  }

  byte[] buffer() {
    return buffer;
  }

  private void fixed64() throws WireException {
    need(8);
    bits = longAt(buffer, at);
    at += 8;
  }

  private void fixed32() throws WireException {
    need(4);
    bits =
        (buffer[at] & 0xffL)
            | (buffer[at + 1] & 0xffL) << 8
            | (buffer[at + 2] & 0xffL) << 16
            | (buffer[at + 3] & 0xffL) << 24;
    at += 4;
  }

  private void bytes() throws WireException {
    long length = varint();
    if (length < 0 || length > end - at) {
      throw new WireException("a field is longer than what holds it");
    }
    from = at;
    at += (int) length;
  }

  private long varint() throws WireException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      need(1);
      byte b = buffer[at++];
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new WireException("a varint has more than ten bytes");
  }

  private void need(int count) throws WireException {
    if (end - at < count) {
      throw new WireException("the bytes end within a field");
    }
  }

  static long longAt(byte[] buffer, int at) {
    return (long) LONGS.get(buffer, at);
  }

  /** Bytes that are not what they should be. */
  static final class WireException extends Exception {
    WireException(String message) {
      super(message, null, false, false);
    }
  }
}
