package io.faultline.records;

import java.util.Arrays;
import java.util.Comparator;
import javax.annotation.Nullable;

/**
 * All samples of one node at one event time: the unit that is shuffled.
 *
 * @param graph monitored system
 * @param node entity within it
 * @param time event time, ms UTC
 * @param layout the series, one per value
 * @param values as sent, in the declared unit; never NaN
 * @param starts start time of each cumulative or delta point, ms UTC, 0 = not said; null = none
 *     said
 */
public record Block(
    String graph, String node, long time, Layout layout, double[] values, @Nullable long[] starts) {

  /** By time; blocks of one time by what is in them, so that order of arrival does not matter. */
  public static final Comparator<Block> ORDER =
      Comparator.comparingLong(Block::time)
          .thenComparing(Block::layout)
          .thenComparing(Block::values, Arrays::compare)
          .thenComparing(Block::starts, Comparator.nullsFirst(Arrays::compare));

  public int size() {
    return values.length;
  }

  public long start(int index) {
    return starts == null ? 0L : starts[index];
  }

  /** Key of the fused operator. */
  public String key() {
    return key(graph, node);
  }

  public static String key(String graph, String node) {
    return graph + '\u0000' + node;
  }
}
