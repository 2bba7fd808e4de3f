package io.faultline.node;

import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The series of one node, in order of appearance. Bounded: a new series takes the place of the one
 * that has been silent longest, if that one is stale; else it is refused.
 */
final class SeriesTable {
  private static final int LAYOUTS = 8;

  private final List<Series> series = new ArrayList<>();
  private final Map<SeriesKey, Integer> index = new HashMap<>();
  private final Layout[] layouts = new Layout[LAYOUTS];
  private final Series[][] layoutSeries = new Series[LAYOUTS][];
  private int nextLayout;
  private int revision;
  @Nullable private SeriesPolicy policy;

  /** Resolves all series, unless this was done with the same policy. */
  void bind(SeriesPolicy wanted) {
    if (policy != wanted) {
      policy = wanted;
      series.forEach(one -> one.bind(wanted));
      Arrays.fill(layouts, null);
      revision++;
    }
  }

  int size() {
    return series.size();
  }

  Series get(int slot) {
    return series.get(slot);
  }

  /** Changes whenever a series comes or goes. */
  int revision() {
    return revision;
  }

  /**
   * The series of a layout, null where one is refused or dropped by a rule.
   *
   * @param staleBefore a series without a point since this event time (ms) may be evicted
   */
  Series[] of(Layout layout, long staleBefore, Tally tally) {
    for (int i = 0; i < LAYOUTS; i++) {
      if (layouts[i] == layout || (layouts[i] != null && layouts[i].equals(layout))) {
        return layoutSeries[i];
      }
    }
    Series[] found = new Series[layout.size()];
    boolean complete = true;
    for (int i = 0; i < found.length; i++) {
      SeriesKey key = layout.series(i);
      Series known = find(key);
      if (known != null && known.derived == null && !known.resolved.dropped()) {
        found[i] = pin(known);
        continue;
      }
      Resolved resolved = policy.rules().resolve(key);
      boolean dropped = resolved.dropped();
      SeriesKey own = resolved.role() == Role.BUCKET ? Bounds.canonical(key) : key;
      found[i] = dropped ? null : pin(get(own, null, staleBefore, tally));
      complete &= dropped || found[i] != null;
    }
    unpin(found);
    if (complete) {
      layouts[nextLayout] = layout;
      layoutSeries[nextLayout] = found;
      nextLayout = (nextLayout + 1) % LAYOUTS;
    }
    return found;
  }

  /** A series must not be evicted for another one of its own layout. */
  @Nullable
  private static Series pin(@Nullable Series one) {
    if (one != null) {
      one.pinned = true;
    }
    return one;
  }

  private static void unpin(Series[] found) {
    for (Series one : found) {
      if (one != null) {
        one.pinned = false;
      }
    }
  }

  /** The series of this key, or null. */
  @Nullable
  Series find(SeriesKey key) {
    Integer slot = index.get(key);
    return slot == null ? null : series.get(slot);
  }

  /** The series of this key, a new one if need be; null where the table is full. */
  @Nullable
  Series get(SeriesKey key, @Nullable Role derived, long staleBefore, Tally tally) {
    Integer slot = index.get(key);
    if (slot != null) {
      return series.get(slot);
    }
    int free = series.size() < policy.maxSeries() ? series.size() : stalest(staleBefore);
    if (free < 0) {
      tally.add("series_refused");
      return null;
    }
    Series created = new Series(key, derived);
    created.bind(policy);
    place(created, free, tally);
    if (derived == null && !created.resolved.known()) {
      tally.unmapped(key);
    }
    if (Units.unknown(created.resolved.unit())) {
      tally.add("unit_unknown");
    }
    return created;
  }

  private int stalest(long staleBefore) {
    int found = -1;
    for (int i = 0; i < series.size(); i++) {
      Series one = series.get(i);
      boolean stale = !one.pinned && one.count == 0 && one.lastTime < staleBefore;
      if (stale && (found < 0 || one.lastTime < series.get(found).lastTime)) {
        found = i;
      }
    }
    return found;
  }

  private void place(Series created, int slot, Tally tally) {
    if (slot == series.size()) {
      series.add(created);
    } else {
      tally.add("series_evicted");
      Series evicted = series.get(slot);
      evicted.evicted = true;
      index.remove(evicted.key);
      series.set(slot, created);
      Arrays.fill(layouts, null);
    }
    index.put(created.key, slot);
    revision++;
  }

  SeriesTable copy() {
    SeriesTable copy = new SeriesTable();
    series.forEach(one -> copy.append(one.copy()));
    return copy;
  }

  private void append(Series one) {
    index.put(one.key, series.size());
    series.add(one);
  }

  void write(DataOutputView out) throws IOException {
    out.writeInt(series.size());
    for (Series one : series) {
      one.write(out);
    }
  }

  static SeriesTable read(DataInputView in, int version) throws IOException {
    SeriesTable table = new SeriesTable();
    int size = in.readInt();
    for (int i = 0; i < size; i++) {
      table.append(Series.read(in, version));
    }
    return table;
  }
}
