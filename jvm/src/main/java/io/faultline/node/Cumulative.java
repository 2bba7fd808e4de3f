package io.faultline.node;

import javax.annotation.Nullable;

/**
 * Points that say how much a counter grew since it began. A new start time after the last point is
 * a restart, one before it another instance. Without start times a fall is a restart where it may
 * well be one, and points of several instances are told apart by their levels.
 */
final class Cumulative {
  /** Start times closer together than this, in ms, may be one that is not exactly known. */
  private static final long START_MOVES_MS = 1_000;

  /** A value this much smaller, relatively, has not fallen. */
  private static final double NOISE = 1e-6;

  /** A fall this small, relatively, is no restart. */
  private static final double SMALL = 1e-3;

  /** A restarted counter below this share of what it was is taken at its word. */
  private static final double CLEARLY_LESS = 0.5;

  /** A rate this many times another one is not what one would expect of the same counter. */
  private static final double UNLIKELY = 10;

  /** A growth this many times the one before is none, where there is another explanation. */
  private static final double IMPOSSIBLE = 100;

  /** Longest and shortest time since its start over which a new instance's growth is a rate. */
  private static final long LONGEST_FIRST_MS = 120_000;

  private static final long SHORTEST_FIRST_MS = 1_000;

  private Cumulative() {}

  /** Takes a point; its rate is the sum over the instances that still report. */
  static void read(Counter counter, Reading at) {
    if (at.value < 0 && !at.signed) {
      at.skip("negative_counter");
      return;
    }
    if (at.start > at.time) {
      at.tally.add("start_in_future");
      at.start = 0;
    }
    Stream first = counter.first;
    if (first == null) {
      counter.open(at.start, at.time, at.value);
    } else if (first.next == null && first.start == at.start && at.value >= first.value) {
      advance(counter, first, at);
    } else if (repeated(counter, at)) {
      at.skip("duplicate");
    } else if (at.time < counter.latest().time) {
      at.skip("went_back");
    } else if (at.start == 0 || has(counter, at.start)) {
      known(counter, at);
    } else {
      moved(counter, at);
    }
  }

  private static boolean repeated(Counter counter, Reading at) {
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      if (stream.time == at.time && stream.value == at.value && fits(stream, at)) {
        return true;
      }
    }
    return false;
  }

  private static boolean has(Counter counter, long start) {
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      if (stream.start == start) {
        return true;
      }
    }
    return false;
  }

  /** Whether a stream may have sent the point, by its start time. */
  private static boolean fits(Stream stream, Reading at) {
    return at.start == 0 || stream.start == at.start;
  }

  /** A point of streams that are known: the one whose value is next below it. */
  private static void known(Counter counter, Reading at) {
    Stream latest = null;
    Stream below = null;
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      if (fits(stream, at)) {
        latest = latest == null || stream.time >= latest.time ? stream : latest;
        boolean reached = at.value >= stream.value * (1 - NOISE);
        below = reached && (below == null || stream.value > below.value) ? stream : below;
      }
    }
    if (at.signed) {
      advance(counter, latest, at);
    } else if (below == null) {
      fell(counter, latest, at);
    } else {
      advance(counter, returned(counter, below, latest, at) ? below : latest, at);
    }
  }

  /**
   * Whether a point belongs to the stream next below it and not to the one that took its place. Of
   * the two, the one that is not believed any more goes.
   */
  private static boolean returned(Counter counter, Stream below, Stream latest, Reading at) {
    if (!below.suspended) {
      if (below == latest) {
        forget(counter, latest, at);
      }
      return true;
    }
    if (below == latest) {
      resume(counter, at);
      return true;
    }
    double known = Double.isNaN(below.rate) ? 0 : below.rate;
    double expected = Math.max(known, perSecond(at.value - below.value, at.time - below.time));
    if (perSecond(at.value - latest.value, at.time - latest.time) <= UNLIKELY * expected) {
      forget(counter, latest, at);
      return false;
    }
    resume(counter, at);
    return true;
  }

  /** A stream came back whose place seemed taken: all of them go on. */
  private static void resume(Counter counter, Reading at) {
    at.tell("overlapping_streams");
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      stream.suspended &= !fits(stream, at);
      stream.unsure &= !fits(stream, at);
    }
  }

  /** Drops the streams whose place this one took, once that is sure. */
  private static void forget(Counter counter, Stream latest, Reading at) {
    double rate = perSecond(at.value - latest.value, at.time - latest.time);
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      if (stream.suspended && fits(stream, at)) {
        latest.unsure &= !(rate <= UNLIKELY * stream.rate);
        if (!latest.unsure) {
          counter.drop(stream);
        }
      }
    }
  }

  /** A value below those of all streams it may belong to. */
  private static void fell(Counter counter, Stream latest, Reading at) {
    Stream fallen = longestSilent(counter, latest, at);
    double fall = fallen.value - at.value;
    double expected = fallen.rate * (at.time - fallen.time) / 1000.0;
    boolean likely = at.value <= UNLIKELY * expected;
    if (at.time - latest.time < Reading.SHORTEST_MS) {
      at.skip("too_close");
    } else if (fallen.gap(at.time)) {
      counter.drop(fallen);
      counter.open(at.start, at.time, at.value);
      at.tell("series_returned");
    } else if (at.start == 0 && (likely || at.value <= CLEARLY_LESS * fallen.value)) {
      at.tell("counter_reset");
      restart(counter, fallen, at);
    } else if (at.start == 0 && (fall <= expected || fall <= SMALL * fallen.value)) {
      at.skip("step_back");
    } else {
      at.tell("counter_decrease");
      fallen.suspended = true;
      Stream opened = counter.open(at.start, at.time, at.value);
      opened.interval = fallen.interval;
      opened.unsure = true;
    }
  }

  /** Of the streams that may have sent it and that count; the latest where none counts. */
  private static Stream longestSilent(Counter counter, Stream latest, Reading at) {
    Stream found = latest;
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      boolean counts = !stream.suspended && fits(stream, at);
      found = counts && stream.time < found.time ? stream : found;
    }
    return found;
  }

  /** A start time that was not seen before. */
  private static void moved(Counter counter, Reading at) {
    Stream near = near(counter, at);
    if (near != null) {
      follow(counter, near, at);
      return;
    }
    Stream stopped = stopped(counter, at);
    if (stopped == null) {
      at.tell("overlapping_streams");
      join(counter, at);
    } else if (at.time - stopped.time < Reading.SHORTEST_MS) {
      at.skip("too_close");
    } else if (stopped.gap(at.time)) {
      at.tell("series_returned");
      counter.drop(stopped);
      counter.open(at.start, at.time, at.value);
    } else if (at.start == at.time) {
      at.tell("counter_restart");
      stopped.suspended = true;
      counter.open(at.start, at.time, at.value).interval = stopped.interval;
    } else if (goesOn(stopped, at)) {
      at.tell("start_moved");
      stopped.start = at.start;
      advance(counter, stopped, at);
    } else {
      at.tell("counter_restart");
      restart(counter, stopped, at);
    }
  }

  /** The stream whose start time is nearly this one, or that had none, and whose value fits. */
  @Nullable
  private static Stream near(Counter counter, Reading at) {
    Stream found = null;
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      boolean unsaid = stream.start == 0 && at.start <= stream.time;
      boolean moves = stream.start != 0 && Math.abs(at.start - stream.start) <= START_MOVES_MS;
      boolean grown = at.signed || at.value >= stream.value * (1 - NOISE);
      boolean better = found == null || stream.value > found.value;
      found = (unsaid || moves) && grown && better ? stream : found;
    }
    return found;
  }

  /** The first time that a start time moves, it might be another instance's: no rate. */
  private static void follow(Counter counter, Stream near, Reading at) {
    boolean sure = near.start == 0 || near.moves;
    long before = near.time;
    near.moves |= near.start != 0;
    advance(counter, near, at);
    if (at.time - before >= Reading.SHORTEST_MS) {
      near.start = at.start;
      at.rate = sure ? at.rate : Double.NaN;
    }
  }

  /** The stream that this start time continues: the longest silent one that stopped before it. */
  @Nullable
  private static Stream stopped(Counter counter, Reading at) {
    Stream found = null;
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      boolean before = !stream.suspended && stream.time <= at.start && stream.time < at.time;
      found = before && (found == null || stream.time < found.time) ? stream : found;
    }
    return found;
  }

  /** Whether the sender was restarted and not the counter: the value went on as it was. */
  private static boolean goesOn(Stream stopped, Reading at) {
    double growth = at.value - stopped.value;
    double known = Double.isNaN(stopped.rate) ? 0 : stopped.rate;
    double expected = known * (at.time - stopped.time) / 1000.0;
    double most = Math.max(1, Math.max(expected, growth));
    return !at.signed && growth >= 0 && at.value > IMPOSSIBLE * most;
  }

  private static void restart(Counter counter, Stream stopped, Reading at) {
    stopped.suspended = true;
    Stream opened = counter.open(at.start, at.time, at.value);
    long interval = at.time - stopped.time;
    opened.rate = perSecond(at.value, interval);
    opened.interval = Math.max(interval, stopped.interval);
    at.restarted = true;
    counter.sum(opened, at);
    at.full = at.rate;
    if (at.signed) {
      at.rate -= perSecond(stopped.value, interval);
    }
  }

  /** A new instance beside others: its rate since its start, where the others make it likely. */
  private static void join(Counter counter, Reading at) {
    long interval = counter.interval();
    double largest = 0;
    for (Stream stream = counter.first; stream != null; stream = stream.next) {
      largest = stream.rate > largest ? stream.rate : largest;
    }
    Stream opened = counter.open(at.start, at.time, at.value);
    opened.interval = interval;
    long age = at.time - at.start;
    double rate = perSecond(at.value, age);
    boolean young = age >= SHORTEST_FIRST_MS && age <= LONGEST_FIRST_MS;
    if (young && Math.abs(rate) <= UNLIKELY * largest) {
      opened.rate = rate;
      counter.sum(opened, at);
      at.full = at.rate;
    }
  }

  private static void advance(Counter counter, Stream stream, Reading at) {
    long interval = at.time - stream.time;
    if (interval < Reading.SHORTEST_MS) {
      boolean same = interval == 0 && at.value == stream.value;
      at.skip(interval < 0 ? "went_back" : same ? "duplicate" : "too_close");
      return;
    }
    boolean gap = stream.gap(at.time);
    double growth = at.signed ? at.value - stream.value : Math.max(0, at.value - stream.value);
    stream.suspended = false;
    stream.interval = interval;
    stream.time = at.time;
    stream.value = at.signed ? at.value : Math.max(at.value, stream.value);
    if (gap || stream.unsure) {
      stream.rate = Double.NaN;
      stream.unsure = false;
      if (gap) {
        at.tell("series_returned");
      }
      return;
    }
    stream.rate = perSecond(growth, interval);
    counter.sum(stream, at);
    if (at.part) {
      at.full = at.rate + perSecond(at.value - growth, interval);
    }
  }

  private static double perSecond(double growth, long interval) {
    return growth * 1000.0 / interval;
  }
}
