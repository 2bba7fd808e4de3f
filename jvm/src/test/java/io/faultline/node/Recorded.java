package io.faultline.node;

import io.faultline.cep.SampleEvent;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Keeps what a processor puts out. */
final class Recorded implements NodeOutput {
  final List<NodeFrame> frames = new ArrayList<>();
  final List<Edge> edges = new ArrayList<>();
  final List<String> matches = new ArrayList<>();
  final List<SampleEvent> samples = new ArrayList<>();
  final Map<String, Integer> counts = new TreeMap<>();

  @Override
  public void frame(NodeFrame frame) {
    frames.add(frame);
  }

  @Override
  public void called(Edge edge) {
    edges.add(edge);
  }

  @Override
  public void match(String graph, long time, byte[] json) {
    matches.add(new String(json, StandardCharsets.UTF_8));
  }

  @Override
  public void add(String reason) {
    counts.merge(reason, 1, Integer::sum);
  }

  @Override
  public boolean wantsSamples() {
    return true;
  }

  @Override
  public void sample(SampleEvent s) {
    samples.add(
        new SampleEvent()
            .set(
                s.series(),
                s.time(),
                s.value(),
                s.z(),
                s.baseline(),
                s.spread(),
                s.delta(),
                s.rel()));
  }

  /** The samples of a metric as "second=value", seconds after a time. */
  List<String> values(String metric, long since) {
    return samples.stream()
        .filter(s -> s.series().key().metric().equals(metric))
        .map(s -> (s.time() - since) / 1000 + "=" + Math.round(s.value() * 1e6) / 1e6)
        .toList();
  }
}
