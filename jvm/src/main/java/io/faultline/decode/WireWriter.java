package io.faultline.decode;

import java.util.Arrays;

/**
 * Writes the protobuf wire format into a buffer that is kept from use to use. Lengths of messages
 * take five bytes each, so that nothing moves when they become known. A message that is not
 * finished can be taken back.
 */
final class WireWriter {
  private static final int LENGTH = 5;
  private static final int SHORT_TEXT = 0x7f / 3;

  private byte[] buffer = new byte[1024];
  private int size;

  /** Of each open message: where its tag begins. */
  private int[] tags = new int[16];

  /** Of each open message: where its content begins. */
  private int[] contents = new int[16];

  private int depth;

  void clear() {
    size = 0;
    depth = 0;
  }

  byte[] buffer() {
    return buffer;
  }

  int size() {
    return size;
  }

  /** Number of open messages. */
  int depth() {
    return depth;
  }

  /** Opens a message; returns where its content begins. */
  int begin(int field) {
    if (depth == tags.length) {
      tags = Arrays.copyOf(tags, depth * 2);
      contents = Arrays.copyOf(contents, depth * 2);
    }
    tags[depth] = size;
    tag(field, Wire.BYTES);
    need(LENGTH);
    size += LENGTH;
    contents[depth++] = size;
    return size;
  }

  /** Closes the message that was opened last. */
  void end() {
    depth--;
    length(contents[depth] - LENGTH, size - contents[depth]);
  }

  /** Takes back open messages, with all that is in them, until so many are left. */
  void cut(int left) {
    if (depth > left) {
      depth = left;
      size = tags[left];
    }
  }

  private void length(int at, int length) {
    for (int i = 0; i < LENGTH; i++) {
      int more = i < LENGTH - 1 ? 0x80 : 0;
      buffer[at + i] = (byte) ((length >>> (7 * i)) & 0x7f | more);
    }
  }

  void varint(int field, long value) {
    tag(field, Wire.VARINT);
    raw(value);
  }

  void zigzag(int field, long value) {
    varint(field, (value << 1) ^ (value >> 63));
  }

  void fixed(int field, long value) {
    tag(field, Wire.FIXED64);
    rawFixed(value);
  }

  /** A value of a list that is open as a message. */
  void rawFixed(long value) {
    need(Long.BYTES);
    for (int i = 0; i < Long.BYTES; i++) {
      buffer[size++] = (byte) (value >>> (8 * i));
    }
  }

  void bytes(int field, byte[] value) {
    begin(field);
    need(value.length);
    System.arraycopy(value, 0, buffer, size, value.length);
    size += value.length;
    end();
  }

  /** Text as UTF-8; a half of a surrogate pair becomes a question mark. */
  void text(int field, char[] text, int from, int length) {
    if (length > SHORT_TEXT) {
      begin(field);
      utf8(text, from, length);
      end();
      return;
    }
    tag(field, Wire.BYTES);
    need(1);
    int at = size++;
    utf8(text, from, length);
    buffer[at] = (byte) (size - at - 1);
  }

  private void utf8(char[] text, int from, int length) {
    need(length * 3);
    for (int i = from; i < from + length; i++) {
      char c = text[i];
      if (c < 0x80) {
        buffer[size++] = (byte) c;
      } else if (c < 0x800) {
        buffer[size++] = (byte) (0xc0 | c >> 6);
        buffer[size++] = (byte) (0x80 | c & 0x3f);
      } else if (!Character.isSurrogate(c)) {
        buffer[size++] = (byte) (0xe0 | c >> 12);
        trailing(c, 6);
        trailing(c, 0);
      } else if (i + 1 < from + length && Character.isSurrogatePair(c, text[i + 1])) {
        int point = Character.toCodePoint(c, text[++i]);
        buffer[size++] = (byte) (0xf0 | point >> 18);
        trailing(point, 12);
        trailing(point, 6);
        trailing(point, 0);
      } else {
        buffer[size++] = '?';
      }
    }
  }

  private void trailing(int point, int shift) {
    buffer[size++] = (byte) (0x80 | point >> shift & 0x3f);
  }

  private void tag(int field, int type) {
    raw((long) field << 3 | type);
  }

  /** An unsigned varint; also a value of a list that is open as a message. */
  void raw(long value) {
    need(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      buffer[size++] = (byte) (rest & 0x7f | 0x80);
      rest >>>= 7;
    }
    buffer[size++] = (byte) rest;
  }

  private void need(int count) {
    if (buffer.length - size < count) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + count));
    }
  }
}
