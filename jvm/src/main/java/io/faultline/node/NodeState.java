package io.faultline.node;

import io.faultline.cep.KeyRuns;
import io.faultline.cep.KeyRunsSerializer;
import io.faultline.records.Block;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * All keyed state of one node: its series, histograms, the open tick, and blocks that wait for the
 * watermark. Written by {@link NodeStateSerializer}.
 */
public final class NodeState {
  static final long NEVER = Long.MIN_VALUE;

  final String graph;
  final String node;
  SeriesTable series = new SeriesTable();
  Map<SeriesKey, Histogram> histograms = new LinkedHashMap<>();

  /** Sums over the counters of one edge, by what they sum. */
  Map<SeriesKey, EdgeTotal> edgeTotals = new TreeMap<>(EdgeTotal.ORDER);

  /** Edges that were told. */
  Sightings sightings = new Sightings();

  /** Index of the open tick; {@link #NEVER} while none is open. */
  long tick = NEVER;

  /** Partial matches. */
  KeyRuns runs = new KeyRuns();

  /** Event time of the last block, ms. */
  long time = NEVER;

  /** Event time whose histograms are not finished, ms; {@link #NEVER} while none. */
  long unfinished = NEVER;

  /** Blocks after the watermark, in order of arrival. */
  List<Block> pending = new ArrayList<>();

  /** The earliest timer that is set; Long.MAX_VALUE = none. */
  long timer = Long.MAX_VALUE;

  /** Not written: the ticks of its graph; null = not looked up yet. */
  @Nullable private Ticks ticks;

  /** Not written: grouping of the series by what frames need. */
  FramePlan plan;

  /** Not written: what is made of several series. */
  @Nullable Totals totals;

  public NodeState(String graph, String node) {
    this.graph = graph;
    this.node = node;
  }

  Ticks ticks(NodeConfig config) {
    if (ticks == null) {
      ticks = config.ticks(graph);
    }
    return ticks;
  }

  public String graph() {
    return graph;
  }

  public String node() {
    return node;
  }

  /** Partial matches, for whoever looks on. */
  public KeyRuns runs() {
    return runs;
  }

  /** A copy that shares nothing that changes. */
  NodeState copy() {
    NodeState copy = new NodeState(graph, node);
    copy.series = series.copy();
    histograms.forEach((key, histogram) -> copy.histograms.put(key, histogram.copy()));
    edgeTotals.forEach((key, total) -> copy.edgeTotals.put(key, total.copy()));
    copy.sightings = sightings.copy();
    copy.runs = KeyRunsSerializer.INSTANCE.copy(runs);
    copy.tick = tick;
    copy.time = time;
    copy.unfinished = unfinished;
    copy.pending = new ArrayList<>(pending);
    copy.timer = timer;
    return copy;
  }
}
