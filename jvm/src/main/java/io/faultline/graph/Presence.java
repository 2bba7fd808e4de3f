package io.faultline.graph;

import io.faultline.records.NodeFrame;
import io.faultline.records.Signal;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * How often a node tells of itself, and for how long it has not. Only ticks count in which its
 * graph went on.
 */
final class Presence {
  private static final int PRESENT = 2;

  /** What is left of a long gap after each further one: a third after 32 of them. */
  private static final float FADING = 31f / 32;

  /** Gaps that make a habit. */
  private static final int LEAST = 10;

  private static final double ROUNDING = 1e-3;

  /** End of the tick of its last sign of life, ms UTC. */
  private long last;

  /** Ticks that went on without the node since then. */
  private int away;

  /** Gaps seen, at most {@value #LEAST}. */
  private int known;

  /** The longest gap that is usual, ticks: that of all so far, where older ones fade. */
  private float usual = 1;

  /** Whether any signal of the node had a value in this tick. */
  static boolean isSign(NodeFrame frame) {
    for (int s = 0; s < Signal.COUNT; s++) {
      if (frame.signals()[s * NodeFrame.FEATURES + PRESENT] > 0) {
        return true;
      }
    }
    return false;
  }

  /** Usual gaps that it has been away. */
  int missed() {
    return (int) (away / usual + ROUNDING);
  }

  /** Whether the next tick should show a sign, and it is not long gone. */
  boolean isDue(int longest) {
    return away + 1 >= usual - ROUNDING && missed() < longest;
  }

  Presence(long time) {
    last = time;
  }

  long last() {
    return last;
  }

  /** It showed a sign in the tick that ends at this time, ms UTC. */
  void came(long time) {
    last = time;
    known = Math.min(LEAST, known + 1);
    usual = Math.max(away + 1, FADING * usual);
    away = 0;
  }

  /**
   * A tick went on without it.
   *
   * @return how many usual gaps it has now been away; 0 where that is no more than before, or its
   *     habit is not known
   */
  int stayedAway() {
    int before = missed();
    away++;
    return known < LEAST || missed() == before ? 0 : missed();
  }

  Presence copy() {
    Presence copy = new Presence(last);
    copy.away = away;
    copy.known = known;
    copy.usual = usual;
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    out.writeLong(last);
    out.writeInt(away);
    out.writeByte(known);
    out.writeFloat(usual);
  }

  static Presence read(DataInputView in) throws IOException {
    Presence presence = new Presence(in.readLong());
    presence.away = in.readInt();
    presence.known = in.readByte();
    presence.usual = in.readFloat();
    return presence;
  }
}
