package io.faultline.node;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** One instance behind a counter: its last point and rate. */
final class Stream {
  private static final int SUSPENDED = 1;
  private static final int MOVES = 2;
  private static final int HELD = 4;
  private static final int UNSURE = 8;

  /** Silent for longer than this many of its intervals, it no longer counts in a sum. */
  private static final double SILENT_INTERVALS = 1.5;

  /** A gap of this many intervals is no interval any more, and none of less than this many ms. */
  private static final int GAP_INTERVALS = 4;

  private static final long GAP_MS = 300_000;

  /** Start time of its points, ms; 0 = not said. */
  long start;

  /** Event time of its last point, ms. */
  long time;

  /** Last cumulative value; of a delta, growth that no rate has shown yet. */
  double value;

  /** Per second; NaN = not known yet. */
  double rate = Double.NaN;

  /** Time to the point before, ms; 0 = there was none. */
  long interval;

  /** Another one seems to have taken its place: it does not count unless it comes back. */
  boolean suspended;

  /** Its start time is known to move a little from point to point. */
  boolean moves;

  /** Its value is the growth of intervals that were too short for a rate. */
  boolean held;

  /** It may be more than one instance: its next point gives no rate unless a likely one. */
  boolean unsure;

  @Nullable Stream next;

  Stream(long start, long time, double value) {
    this.start = start;
    this.time = time;
    this.value = value;
  }

  /** Whether a point at this time is too far from the last for a rate over what lies between. */
  boolean gap(long now) {
    return now - time > Math.max(GAP_MS, GAP_INTERVALS * interval);
  }

  /** Whether it counts at this time, when another one with this interval reports. */
  boolean live(long now, long otherInterval) {
    long usual = Double.isNaN(rate) ? otherInterval : interval;
    return !suspended && (usual == 0 || now - time <= SILENT_INTERVALS * usual);
  }

  /** A copy without what follows it. */
  Stream copy() {
    Stream copy = new Stream(start, time, value);
    copy.rate = rate;
    copy.interval = interval;
    copy.suspended = suspended;
    copy.moves = moves;
    copy.held = held;
    copy.unsure = unsure;
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    out.writeLong(start);
    out.writeLong(time);
    out.writeDouble(value);
    out.writeDouble(rate);
    out.writeLong(interval);
    out.writeByte(
        (suspended ? SUSPENDED : 0)
            | (moves ? MOVES : 0)
            | (held ? HELD : 0)
            | (unsure ? UNSURE : 0));
  }

  /** Reads what {@link #write} wrote; state of version 1 had no flags. */
  static Stream read(DataInputView in, int version) throws IOException {
    Stream stream = new Stream(in.readLong(), in.readLong(), in.readDouble());
    stream.rate = in.readDouble();
    stream.interval = in.readLong();
    int flags = version == 1 ? 0 : in.readByte();
    stream.suspended = (flags & SUSPENDED) != 0;
    stream.moves = (flags & MOVES) != 0;
    stream.held = (flags & HELD) != 0;
    stream.unsure = (flags & UNSURE) != 0;
    return stream;
  }
}
