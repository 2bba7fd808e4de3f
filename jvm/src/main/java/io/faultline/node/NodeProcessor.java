package io.faultline.node;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.cep.Refusal;
import io.faultline.records.Block;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Normalises the blocks of a node and makes its frames. Without state of its own: everything is in
 * the {@link NodeState} it is given, and results depend on event time only.
 */
public final class NodeProcessor {
  private final NodeConfig config;
  private final SeriesPolicy policy;
  private final Detector detector;
  private final Normaliser normaliser;
  private final TickCloser closer;

  public NodeProcessor(NodeConfig config) {
    this(config, new SignalRules(config.rules()));
  }

  /** A processor that shares the rules' answers with others of the same thread. */
  public NodeProcessor(NodeConfig config, SignalRules rules) {
    this.config = config;
    this.policy = new SeriesPolicy(rules, config.limits().seriesPerNode(), config.windowTicks());
    this.detector = new Detector(config);
    int seriesPerNode = config.limits().seriesPerNode();
    this.normaliser =
        new Normaliser(seriesPerNode, new Edges(config.edges(), seriesPerNode), detector);
    this.closer = new TickCloser(config.windowTicks());
  }

  /** Runs these patterns from now on; what nodes hold of others goes when they are next touched. */
  public void use(List<LivePattern> patterns) {
    detector.use(patterns);
  }

  /** Names patterns whose conditions compute what there is not. */
  void watch(NodeOutput out) {
    detector.watch(out);
  }

  /** Takes a block that waits for the watermark. */
  public void buffer(NodeState state, Block block) {
    state.pending.add(block);
  }

  /** Processes what the watermark allows: blocks in order of event time, then the open tick. */
  public void advance(NodeState state, long watermark, NodeOutput out) {
    state.series.bind(policy);
    List<Block> pending = state.pending;
    pending.sort(Block.ORDER);
    int ready = 0;
    while (ready < pending.size() && pending.get(ready).time() <= watermark) {
      step(state, pending.get(ready++), out);
    }
    pending.subList(0, ready).clear();
    finish(state, out);
    if (state.tick != NodeState.NEVER && lastOfTick(state) <= watermark) {
      closeTick(state, out);
    }
    detector.advance(state, watermark, out);
  }

  /** What a series that the node has is; null where it has no such series. */
  @Nullable
  public Resolved resolved(NodeState state, SeriesKey key) {
    Series series = state.series.find(key);
    return series == null ? null : series.resolved;
  }

  /** Patterns that do not run, and why. */
  public List<Refusal> refused() {
    return detector.refused();
  }

  /** The patterns that run. */
  public List<CompiledPattern> patterns() {
    return detector.patterns();
  }

  /** The next event time at which {@link #advance} has something to do; Long.MAX_VALUE = never. */
  public long nextTimer(NodeState state) {
    long next = detector.nextTimer(state.runs);
    next = state.tick == NodeState.NEVER ? next : Math.min(next, lastOfTick(state));
    for (Block block : state.pending) {
      next = Math.min(next, block.time());
    }
    return next;
  }

  /** Processes a block; blocks of a node must come in order of event time. */
  public void step(NodeState state, Block block, NodeOutput out) {
    long time = block.time();
    if (!open(state, time, out)) {
      out.add("went_back");
      return;
    }
    Series[] series = state.series.of(block.layout(), staleBefore(state), out);
    for (int i = 0; i < series.length; i++) {
      if (series[i] != null) {
        normaliser.point(state, series[i], time, block.values()[i], block.start(i), out);
      }
    }
  }

  /** Processes values of one event time, NaN = no sample; as {@link #step} without a block. */
  void row(NodeState state, Layout layout, long time, double[] values, NodeOutput out) {
    if (!open(state, time, out)) {
      out.add("went_back");
      return;
    }
    Series[] series = state.series.of(layout, staleBefore(state), out);
    for (int i = 0; i < series.length; i++) {
      if (series[i] != null && !Double.isNaN(values[i])) {
        normaliser.point(state, series[i], time, values[i], 0, out);
      }
    }
  }

  /** Finishes earlier times and ticks; false where the time is before the last. */
  private boolean open(NodeState state, long time, NodeOutput out) {
    state.series.bind(policy);
    if (time < state.time) {
      return false;
    }
    if (time > state.unfinished) {
      finish(state, out);
    }
    long tick = state.ticks(config).of(time);
    if (state.tick != NodeState.NEVER && tick > state.tick) {
      closeTick(state, out);
    }
    state.tick = tick;
    state.time = time;
    return true;
  }

  private void finish(NodeState state, NodeOutput out) {
    normaliser.finish(state, staleBefore(state), out);
  }

  /** Ends the open tick: its frame, and what baselines take of it. */
  void closeTick(NodeState state, NodeOutput out) {
    finish(state, out);
    closer.close(state, state.ticks(config), staleBefore(state), out);
    state.tick = NodeState.NEVER;
  }

  /** A series without a point since this event time may give its place to another. */
  private long staleBefore(NodeState state) {
    return state.time - 2L * config.windowTicks() * state.ticks(config).lengthMs();
  }

  private long lastOfTick(NodeState state) {
    return state.ticks(config).end(state.tick) - 1;
  }
}
