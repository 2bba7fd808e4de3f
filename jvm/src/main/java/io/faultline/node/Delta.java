package io.faultline.node;

import javax.annotation.Nullable;

/**
 * Points that say how much a counter grew since their start time. The rate is the growth over the
 * point's own interval: a gap before it changes nothing. An instance's points follow one another,
 * so an interval that begins where another one ended continues it, and one that overlaps all others
 * belongs to another instance.
 */
final class Delta {
  /** An interval may begin this share of its length before the one before it ended. */
  private static final double OVERLAP = 0.1;

  private Delta() {}

  /** Takes a point; its rate is the sum over the instances that still report. */
  static void read(Counter counter, Reading at) {
    at.delta = true;
    boolean said = at.start > 0 && at.start < at.time;
    if (at.start > at.time) {
      at.tally.add("start_in_future");
    }
    Stream latest = counter.latest();
    if (latest == null) {
      first(counter, said, at);
    } else if (at.time < latest.time) {
      at.skip("went_back");
    } else if (repeated(counter, said, at)) {
      at.skip("duplicate");
    } else if (!said) {
      unsaid(counter, latest, at);
    } else {
      Stream stream = continued(counter, at.start, at.time);
      if (stream == null) {
        at.tell("overlapping_streams");
        stream = counter.open(at.start, at.start, 0);
      }
      advance(counter, stream, at.start, at);
    }
  }

  private static void first(Counter counter, boolean said, Reading at) {
    if (said) {
      advance(counter, counter.open(at.start, at.start, 0), at.start, at);
    } else {
      counter.open(at.time, at.time, at.value);
    }
  }

  private static boolean repeated(Counter counter, boolean said, Reading at) {
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      boolean same = stream.time == at.time && stream.value == at.value;
      if (same && (!said || stream.start == at.start)) {
        return true;
      }
    }
    return false;
  }

  /** Without a start a point tells the growth since the point before. */
  private static void unsaid(Counter counter, Stream stream, Reading at) {
    if (!stream.gap(at.time)) {
      advance(counter, stream, stream.time, at);
      return;
    }
    at.tell("series_returned");
    stream.interval = at.time - stream.time;
    stream.rate = Double.NaN;
    stream.start = at.time;
    stream.time = at.time;
    stream.value = at.value;
    stream.held = false;
  }

  /** The stream whose last point ended nearest before this start; else one that it extends. */
  @Nullable
  private static Stream continued(Counter counter, long start, long time) {
    long latest = start + (long) (OVERLAP * (time - start));
    Stream found = null;
    Stream extended = null;
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      if (stream.time <= latest && (found == null || stream.time > found.time)) {
        found = stream;
      }
      extended = stream.start == start && stream.time < time ? stream : extended;
    }
    return found == null ? extended : found;
  }

  private static void advance(Counter counter, Stream stream, long from, Reading at) {
    boolean follows = stream.held && from - stream.time < Reading.SHORTEST_MS;
    long begin = follows ? stream.start : from;
    double growth = follows ? stream.value + at.value : at.value;
    stream.held = at.time - begin < Reading.SHORTEST_MS;
    stream.time = at.time;
    if (stream.held) {
      at.skip("too_close");
      stream.start = begin;
      stream.value = growth;
      return;
    }
    stream.interval = at.time - begin;
    stream.rate = growth * 1000.0 / stream.interval;
    stream.start = from;
    stream.value = at.value;
    counter.sum(stream, at);
    at.full = at.rate;
  }
}
