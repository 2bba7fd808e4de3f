package io.faultline.node;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Positions from 0 to 127, a byte each, eight of which are changed at once. */
final class Places {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;

  private Places() {}

  /**
   * Adds {@code by}, 1 or -1, to all positions of a range.
   *
   * @param places a multiple of eight of them
   * @param from the first position of the range
   * @param to the first one after it, at most 128
   */
  static void shift(byte[] places, int from, int to, int by) {
    long least = from * ONES;
    long most = to * ONES;
    for (int i = 0; i < places.length; i += Long.BYTES) {
      long eight = (long) LONGS.get(places, i);
      // The high bit is free: where it survives the subtraction, the position is not below.
      long inside = ((eight | HIGH) - least) & ~((eight | HIGH) - most) & HIGH;
      LONGS.set(places, i, eight + by * (inside >>> 7));
    }
  }
}
