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
  private int marked;

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
    int key = buffer[at];
    if (key > 7) {
      at++;
    } else {
      key = longKey();
    }
    field = key >>> 3;
    type = key & 7;
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

  /** A tag of more than one byte, or one that is wrong. */
  private int longKey() throws WireException {
    long key = varint();
    if (key >>> 3 == 0 || key >>> 32 != 0) {
      throw new WireException("no field has this number");
    }
    return (int) key;
  }

  /** Remembers this place for {@link #back}. */
  void mark() {
    marked = at;
  }

  /** Back to the place that was remembered. */
  void back() {
    at = marked;
  }

  /** Moves behind the fields of that number, below 16, that come next and hold bytes. */
  void skip(int number) throws WireException {
    byte wanted = (byte) (number << 3 | BYTES);
    while (at < end && buffer[at] == wanted) {
      at++;
      bytes();
    }
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

  /** A signed varint: sint32 or sint64. */
  long zigzag() throws WireException {
    expect(VARINT);
    return (bits >>> 1) ^ -(bits & 1);
  }

  /** 64-bit values that stand one after the other in the current field, or the one in it. */
  void fixedInto(DoubleList into, boolean unsigned) throws WireException {
    if (type == FIXED64) {
      into.add(unsigned ? unsigned(bits) : Double.longBitsToDouble(bits));
      return;
    }
    expect(BYTES);
    if ((to - from) % Long.BYTES != 0) {
      throw new WireException("field " + field + " is no list of 64-bit values");
    }
    for (int i = from; i < to; i += Long.BYTES) {
      long each = longAt(buffer, i);
      into.add(unsigned ? unsigned(each) : Double.longBitsToDouble(each));
    }
  }

  /** Unsigned varints that stand one after the other in the current field, or the one in it. */
  void varintsInto(DoubleList into) throws WireException {
    if (type == VARINT) {
      into.add(unsigned(bits));
      return;
    }
    expect(BYTES);
    int after = at;
    int outerEnd = end;
    at = from;
    end = to;
    while (at < end) {
      into.add(unsigned(varint()));
    }
    at = after;
    end = outerEnd;
  }

  /** A 64-bit number without sign, as near as a double can be. */
  static double unsigned(long value) {
    return value >= 0 ? value : (value >>> 1) * 2.0;
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
    long length = at < end && buffer[at] >= 0 ? buffer[at++] : varint();
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
    private final String reason;

    WireException(String message) {
      this(Reasons.MALFORMED, message);
    }

    WireException(String reason, String message) {
      super(message, null, false, false);
      this.reason = reason;
    }

    /** Of {@link Reasons}. */
    String reason() {
      return reason;
    }
  }
}
