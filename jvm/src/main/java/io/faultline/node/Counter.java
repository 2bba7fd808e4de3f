package io.faultline.node;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Turns the points of one counter series into a rate per second. Points of instances that share the
 * series' identity differ in their start time: each is a stream of its own, and the rate is the sum
 * over the streams that still report.
 */
final class Counter {
  private static final int STREAMS = 8;
  private static final int SILENT_INTERVALS = 3;

  /** One instance: its last point and rate. */
  private static final class Stream {
    long start;
    long time;
    double value;
    double rate = Double.NaN;
    long interval;

    Stream(long start, long time, double value) {
      this.start = start;
      this.time = time;
      this.value = value;
    }

    Stream copy() {
      Stream copy = new Stream(start, time, value);
      copy.rate = rate;
      copy.interval = interval;
      return copy;
    }
  }

  private Stream[] streams = new Stream[0];

  /**
   * The rate at a cumulative point, per second.
   *
   * @param start start time of the point in ms, 0 = not said
   * @return NaN where there is no rate yet
   */
  double cumulative(long time, double value, long start, Tally tally) {
    if (value < 0) {
      tally.add("negative_counter");
      return Double.NaN;
    }
    Stream stream = find(start);
    if (stream != null) {
      return advance(stream, time, value, tally) ? sum(time, stream.interval) : Double.NaN;
    }
    Stream stopped = restarted(start);
    if (stopped == null) {
      open(new Stream(start, time, value), tally);
      return Double.NaN;
    }
    stopped.start = start;
    stopped.value = 0;
    tally.add("counter_restart");
    return advance(stopped, time, value, tally) ? sum(time, stopped.interval) : Double.NaN;
  }

  /** The rate over a delta point: its growth over the time since its start, or the last point. */
  double delta(long time, double value, long start, Tally tally) {
    Stream last = streams.length == 0 ? null : streams[0];
    if (last != null && (time < last.time || (time == last.time && start == last.start))) {
      tally.add(time < last.time ? "went_back" : "duplicate");
      return Double.NaN;
    }
    long from = start > 0 ? start : last == null ? time : last.time;
    streams = new Stream[] {new Stream(start, time, value)};
    return time > from ? value * 1000.0 / (time - from) : Double.NaN;
  }

  /** Time between the last two points of the slowest instance, ms; 0 where none has two. */
  long interval() {
    long longest = 0;
    for (Stream stream : streams) {
      longest = Math.max(longest, stream.interval);
    }
    return longest;
  }

  private Stream find(long start) {
    for (Stream stream : streams) {
      if (stream.start == start) {
        return stream;
      }
    }
    return null;
  }

  /** The stream that this start time continues: the longest silent one that stopped before it. */
  private Stream restarted(long start) {
    Stream found = null;
    for (Stream stream : streams) {
      if (stream.time <= start && (found == null || stream.time < found.time)) {
        found = stream;
      }
    }
    return found;
  }

  private static boolean advance(Stream stream, long time, double value, Tally tally) {
    if (time <= stream.time) {
      tally.add(time < stream.time ? "went_back" : "duplicate");
      return false;
    }
    double growth = value - stream.value;
    if (growth < 0 && stream.start != 0) {
      // A restart has a new start time: the sender dropped a part of a sum, and nothing happened.
      tally.add("counter_decrease");
      stream.time = time;
      stream.value = value;
      return false;
    }
    if (growth < 0) {
      tally.add("counter_reset");
      growth = value;
    }
    stream.interval = time - stream.time;
    stream.rate = growth * 1000.0 / stream.interval;
    stream.time = time;
    stream.value = value;
    return true;
  }

  /** Sum of the live streams' rates; NaN as long as one of them has none. */
  private double sum(long time, long interval) {
    if (streams.length == 1) {
      return streams[0].rate;
    }
    double sum = 0;
    int kept = 0;
    for (Stream stream : streams) {
      long usual = Math.max(interval, stream.interval);
      if (time - stream.time <= SILENT_INTERVALS * usual) {
        streams[kept++] = stream;
        sum += stream.rate;
      }
    }
    streams = Arrays.copyOf(streams, kept);
    return sum;
  }

  private void open(Stream stream, Tally tally) {
    if (streams.length > 0) {
      tally.add("overlapping_streams");
    }
    if (streams.length < STREAMS) {
      streams = Arrays.copyOf(streams, streams.length + 1);
      streams[streams.length - 1] = stream;
      return;
    }
    int longestSilent = 0;
    for (int i = 1; i < streams.length; i++) {
      longestSilent = streams[i].time < streams[longestSilent].time ? i : longestSilent;
    }
    streams[longestSilent] = stream;
  }

  Counter copy() {
    Counter copy = new Counter();
    copy.streams = new Stream[streams.length];
    for (int i = 0; i < streams.length; i++) {
      copy.streams[i] = streams[i].copy();
    }
    return copy;
  }

  /** Number of streams, then start, time, value, rate, interval of each. */
  void write(DataOutputView out) throws IOException {
    out.writeByte(streams.length);
    for (Stream stream : streams) {
      out.writeLong(stream.start);
      out.writeLong(stream.time);
      out.writeDouble(stream.value);
      out.writeDouble(stream.rate);
      out.writeLong(stream.interval);
    }
  }

  static Counter read(DataInputView in) throws IOException {
    Counter counter = new Counter();
    counter.streams = new Stream[in.readByte()];
    for (int i = 0; i < counter.streams.length; i++) {
      Stream stream = new Stream(in.readLong(), in.readLong(), in.readDouble());
      stream.rate = in.readDouble();
      stream.interval = in.readLong();
      counter.streams[i] = stream;
    }
    return counter;
  }
}
