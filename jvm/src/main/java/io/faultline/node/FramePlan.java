package io.faultline.node;

import io.faultline.records.NodeFrame;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The series of a node grouped by the place in its frame that they feed. */
final class FramePlan {
  static final int CALLER = 0;
  static final int CALLEE = 1;
  static final int NET_DELAY = 2;
  private static final int TRAFFIC = 3;
  private static final int ERRORS = 4;
  private static final int NONE = -1;

  final int revision;

  /** By signal: series of the node itself. */
  final List<List<Series>> own = lists(Signal.COUNT);

  /** By signal: series that callers' edges have, not measured at the caller. */
  final List<List<Series>> atCallee = lists(Signal.COUNT);

  /** By peer, in order of name: series by kind of edge feature. */
  final Map<String, List<List<Series>>> edges = new TreeMap<>();

  FramePlan(SeriesTable table) {
    revision = table.revision();
    for (int i = 0; i < table.size(); i++) {
      Series series = table.get(i);
      if (series.feeds()) {
        place(series);
      }
    }
  }

  private void place(Series series) {
    int signal = series.resolved.signal().ordinal();
    if (series.key.peer() == null) {
      own.get(signal).add(series);
      return;
    }
    boolean delay = series.resolved.role() == Role.NET_DELAY;
    if (!delay && series.key.side() != Side.CLIENT) {
      atCallee.get(signal).add(series);
    }
    int kind = delay ? NET_DELAY : kind(series);
    if (kind != NONE) {
      edges
          .computeIfAbsent(series.key.peer(), peer -> lists(NodeFrame.EDGE_KINDS))
          .get(kind)
          .add(series);
    }
  }

  private static int kind(Series series) {
    return switch (series.resolved.signal()) {
      case LATENCY -> series.key.side() == Side.CLIENT ? CALLER : CALLEE;
      case TRAFFIC -> TRAFFIC;
      case ERRORS -> ERRORS;
      default -> NONE;
    };
  }

  private static List<List<Series>> lists(int count) {
    List<List<Series>> lists = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>(2));
    }
    return lists;
  }
}
