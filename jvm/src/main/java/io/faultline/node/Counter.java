package io.faultline.node;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * State of one counter series. Instances that share its identity are streams of their own, and the
 * rate is the sum over the streams that still report. {@link Cumulative} and {@link Delta} say what
 * a point means.
 */
final class Counter {
  private static final int MOST_STREAMS = 32;

  /** In order of appearance; null before the first point. */
  @Nullable Stream first;

  /** Time between the last two points of the slowest instance, ms; 0 where none has two. */
  long interval() {
    long longest = 0;
    for (Stream stream = first; stream != null; stream = stream.next) {
      longest = Math.max(longest, stream.interval);
    }
    return longest;
  }

  /** Adds a stream; the longest silent one leaves where there are too many. */
  Stream open(long start, long time, double value) {
    Stream opened = new Stream(start, time, value);
    int count = 1;
    Stream last = first;
    for (; last != null && last.next != null; last = last.next) {
      count++;
    }
    if (last == null) {
      first = opened;
      return opened;
    }
    last.next = opened;
    if (count == MOST_STREAMS) {
      drop(longestSilent());
    }
    return opened;
  }

  /** The stream of the last point; of several the first that appeared. */
  @Nullable
  Stream latest() {
    Stream found = first;
    for (Stream stream = first; stream != null; stream = stream.next) {
      found = stream.time > found.time ? stream : found;
    }
    return found;
  }

  private Stream longestSilent() {
    Stream found = first;
    for (Stream stream = first.next; stream != null; stream = stream.next) {
      found = stream.time < found.time ? stream : found;
    }
    return found;
  }

  void drop(Stream dropped) {
    if (first == dropped) {
      first = dropped.next;
      return;
    }
    Stream before = first;
    while (before.next != dropped) {
      before = before.next;
    }
    before.next = dropped.next;
  }

  /** Drops what has been silent for too long to come back, but the stream of this point. */
  void trim(Stream reporting, long time) {
    for (Stream stream = first; stream != null; stream = stream.next) {
      if (stream != reporting && stream.gap(time)) {
        drop(stream);
      }
    }
  }

  /** Sum of the live streams' rates at a stream's point; NaN while one of them has none. */
  void sum(Stream reporting, Reading at) {
    at.alone = at.start != 0;
    if (first.next == null) {
      at.rate = first.rate;
      return;
    }
    trim(reporting, at.time);
    double sum = 0;
    for (Stream stream = first; stream != null; stream = stream.next) {
      if (stream == reporting || stream.live(at.time, reporting.interval)) {
        sum += stream.rate;
        at.alone &= stream == reporting;
        at.mixed |= stream != reporting && stream.start == reporting.start;
      }
    }
    at.rate = sum;
  }

  Counter copy() {
    Counter copy = new Counter();
    Stream last = null;
    for (Stream stream = first; stream != null; stream = stream.next) {
      last = copy.append(last, stream.copy());
    }
    return copy;
  }

  private Stream append(@Nullable Stream last, Stream added) {
    if (last == null) {
      first = added;
    } else {
      last.next = added;
    }
    return added;
  }

  /** Number of streams, then the streams. */
  void write(DataOutputView out) throws IOException {
    int count = 0;
    for (Stream stream = first; stream != null; stream = stream.next) {
      count++;
    }
    out.writeByte(count);
    for (Stream stream = first; stream != null; stream = stream.next) {
      stream.write(out);
    }
  }

  static Counter read(DataInputView in, int version) throws IOException {
    Counter counter = new Counter();
    Stream last = null;
    for (int i = in.readByte(); i > 0; i--) {
      last = counter.append(last, Stream.read(in, version));
    }
    return counter;
  }
}
