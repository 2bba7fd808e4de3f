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

  /** Older gaps fade. */
  private static final int HABIT = 32;

  /** Gaps that make a habit. */
  private static final int LEAST = 10;

  /** So many deviations above the mean a gap is still usual. */
  private static final double USUAL_DEVIATIONS = 2;

  private static final double ROUNDING = 1e-3;

  /** End of the tick of its last sign of life, ms UTC. */
  private long last;

  /** Ticks that went on without the node since then. */
  private int away;

  /** Gaps seen, at most {@value #HABIT}. */
  private int known;

  /** Fading mean of the logarithm of the ticks between two signs of life, and mean deviation. */
  private float logGap;

  private float spread;

  /** Whether any signal of the node had a value in this tick. */
  static boolean isSign(NodeFrame frame) {
    for (int s = 0; s < Signal.COUNT; s++) {
      if (frame.signals()[s * NodeFrame.FEATURES + PRESENT] > 0) {
        return true;
      }
    }
    return false;
  }

  /** The longest gap that is usual, ticks, at least 1. */
  double usual() {
    return Math.exp(logGap + USUAL_DEVIATIONS * spread);
  }

  /** Usual gaps that it has been away. */
  int missed() {
    return (int) (away / usual() + ROUNDING);
  }

  /** Whether the next tick should show a sign, and it is not long gone. */
  boolean isDue(int longest) {
    return away + 1 >= usual() - ROUNDING && missed() < longest;
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
    float log = (float) Math.log(away + 1);
    known = Math.min(HABIT, known + 1);
    logGap += (log - logGap) / known;
    spread += (Math.abs(log - logGap) - spread) / known;
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
    copy.logGap = logGap;
    copy.spread = spread;
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    out.writeLong(last);
    out.writeInt(away);
    out.writeByte(known);
    out.writeFloat(logGap);
    out.writeFloat(spread);
  }

  static Presence read(DataInputView in) throws IOException {
    Presence presence = new Presence(in.readLong());
    presence.away = in.readInt();
    presence.known = in.readByte();
    presence.logGap = in.readFloat();
    presence.spread = in.readFloat();
    return presence;
  }
}
