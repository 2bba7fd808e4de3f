package io.faultline.decode;

import io.faultline.records.Edge;
import io.faultline.records.Exemplar;
import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/**
 * Reads one wire format. Called with one record at a time, from one thread; never throws for what a
 * record contains. One bad point never takes its neighbours with it.
 */
public interface Decoder {

  /** Everything in the record, in the order of the record. */
  void decode(RawRecord in, Output out);

  /** The format in which the last record was read, where that differs by record; else null. */
  @Nullable
  default String chosen() {
    return null;
  }

  /** Where decoded parts go. */
  interface Output {
    /**
     * One value of one series.
     *
     * @param time event time, ms UTC
     * @param key equal series are mostly the same object, but need not be
     * @param value finite
     * @param start start time of a cumulative or delta point, ms UTC; 0 = not said
     */
    void sample(String graph, String node, long time, SeriesKey key, double value, long start);

    /**
     * An event that the last sample counts or shows, with its trace. Few per sample, mostly none.
     */
    default void exemplar(Exemplar exemplar) {
      // Only who tells traces wants to know.
    }

    void edge(Edge edge);

    /**
     * A call that a value of a series names. The series has the caller as its peer; whether the
     * call counts as an edge is decided where the series' growth is known.
     */
    void call(Edge edge);

    /** A record, or a part of one, that cannot be used; see {@link Reasons}. */
    void deadLetter(String reason, String detail);

    /** Legal input that gives no sample; see {@link Reasons}. */
    void ignored(String reason);
  }
}
