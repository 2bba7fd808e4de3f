package io.faultline.decode;

/** The line of a position, for positions that mostly grow: no byte is looked at twice. */
final class LineCount {
  private byte[] bytes;
  private int counted;
  private int line;

  void reset(byte[] bytes) {
    this.bytes = bytes;
    counted = 0;
    line = 1;
  }

  /** The line of that position, from 1. */
  int at(int position) {
    if (position < counted) {
      reset(bytes);
    }
    for (; counted < position; counted++) {
      line += bytes[counted] == '\n' ? 1 : 0;
    }
    return line;
  }
}
