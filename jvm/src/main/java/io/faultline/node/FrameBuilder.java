package io.faultline.node;

import static io.faultline.records.NodeFrame.EDGE_FEATURES;
import static io.faultline.records.NodeFrame.EDGE_KINDS;
import static io.faultline.records.NodeFrame.FEATURES;

import io.faultline.records.NodeFrame;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Features of one node's tick. Reads the series after they were judged and before their baselines
 * take the tick's values.
 */
final class FrameBuilder {
  private final int windowTicks;

  FrameBuilder(int windowTicks) {
    this.windowTicks = windowTicks;
  }

  NodeFrame build(NodeState state, FramePlan plan, Ticks ticks) {
    float[] signals = new float[Signal.COUNT * FEATURES];
    for (int s = 0; s < Signal.COUNT; s++) {
      List<Series> series = plan.own.get(s);
      if (!anyKnown(series, state.tick)) {
        series = plan.atCallee.get(s);
      }
      signal(series, state.tick, signals, s * FEATURES);
    }
    List<String> peers = new ArrayList<>();
    float[] edges = new float[plan.edges.size() * EDGE_KINDS * EDGE_FEATURES];
    for (Map.Entry<String, List<List<Series>>> edge : plan.edges.entrySet()) {
      int at = peers.size() * EDGE_KINDS * EDGE_FEATURES;
      if (edge(edge.getValue(), state.tick, edges, at)) {
        peers.add(edge.getKey());
      }
    }
    return new NodeFrame(
        state.graph,
        state.node,
        ticks.lengthMs(),
        ticks.end(state.tick),
        signals,
        peers.toArray(new String[0]),
        Arrays.copyOf(edges, peers.size() * EDGE_KINDS * EDGE_FEATURES));
  }

  private boolean anyKnown(List<Series> series, long tick) {
    for (int i = 0; i < series.size(); i++) {
      if (counts(series.get(i), tick)) {
        return true;
      }
    }
    return false;
  }

  private boolean counts(Series series, long tick) {
    return series.known(tick, windowTicks) && !series.baseline.absent(series.resolved);
  }

  /** z, rel, present, baseline_n, level, frozen, gap of one signal. */
  private void signal(List<Series> series, long tick, float[] out, int at) {
    Summary summary = new Summary();
    for (int i = 0; i < series.size(); i++) {
      Series one = series.get(i);
      if (counts(one, tick)) {
        summary.add(one);
        Baseline baseline = one.baseline;
        out[at + 3] = Math.max(out[at + 3], baseline.size());
        out[at + 4] = Math.max(out[at + 4], finite(baseline.frameLevel(one.resolved)));
        boolean frozen = one.count > 0 ? anomalous(one) : baseline.frozen();
        out[at + 5] = frozen ? 1 : out[at + 5];
        out[at + 6] = oftener(out[at + 6], baseline.gap());
      }
    }
    summary.write(out, at);
  }

  /** z, rel, present of each kind; false where no series of the edge is known. */
  private boolean edge(List<List<Series>> kinds, long tick, float[] out, int at) {
    boolean any = false;
    for (int k = 0; k < EDGE_KINDS; k++) {
      Summary summary = new Summary();
      for (Series one : kinds.get(k)) {
        if (counts(one, tick)) {
          summary.add(one);
        }
      }
      summary.write(out, at + k * EDGE_FEATURES);
      any |= summary.known > 0;
    }
    return any;
  }

  /** The smaller of two gaps, where 0 is not known. */
  private static float oftener(float gap, float other) {
    return gap == 0 || (other > 0 && other < gap) ? other : gap;
  }

  private static boolean anomalous(Series series) {
    return Math.abs(series.tickZ) > Baseline.ANOMALOUS_Z;
  }

  private static float finite(double value) {
    return (float) Math.min(Float.MAX_VALUE, value);
  }

  /** The series of one place in the frame, summed up. */
  private static final class Summary {
    private double z;
    private double rel;
    private int judged;
    private int valued;
    private int known;

    void add(Series series) {
      known++;
      valued += series.count > 0 ? 1 : 0;
      if (series.count > 0 && !Double.isNaN(series.tickZ)) {
        judged++;
        rel += series.tickRel;
        z = Math.abs(series.tickZ) > Math.abs(z) ? series.tickZ : z;
      }
    }

    void write(float[] out, int at) {
      out[at] = (float) z;
      out[at + 1] = judged == 0 ? 0 : (float) (rel / judged);
      out[at + 2] = known == 0 ? 0 : (float) valued / known;
    }
  }
}
