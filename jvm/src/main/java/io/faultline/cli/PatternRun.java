package io.faultline.cli;

import io.faultline.cep.Refusal;
import io.faultline.config.Json;
import io.faultline.decode.Decoder;
import io.faultline.decode.NativeDecoder;
import io.faultline.decode.RawRecord;
import io.faultline.graph.GraphConfig;
import io.faultline.node.NodeOutput;
import io.faultline.node.NodeProcessor;
import io.faultline.node.NodeState;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.Layout;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One stream of samples through decoder, normaliser and patterns, with the operator's own handling
 * of time: a watermark after each sample, one timer per node, late samples left out.
 */
final class PatternRun implements Decoder.Output, NodeOutput {
  private static final String SOURCE = "samples";

  private final String name;
  private final NodeProcessor processor;
  private final long outOfOrderness;
  private final Consumer<ObjectNode> lines;
  private final GraphRuns graphs;
  private final Decoder decoder = new NativeDecoder(null);
  private final Map<String, Node> nodes = new HashMap<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(
          Comparator.comparingLong(Timer::time).thenComparingInt(t -> t.node().order));
  private long latest = Long.MIN_VALUE;
  private long watermark = Long.MIN_VALUE;
  private int index;
  private int late;

  /** A node and the time for which its timer is set. */
  private static final class Node {
    private final NodeState state;
    private final int order;
    private long timer = Long.MAX_VALUE;

    Node(NodeState state, int order) {
      this.state = state;
      this.order = order;
    }
  }

  /** Counts only while the node's timer is set for this time. */
  private record Timer(long time, Node node) {}

  PatternRun(
      String name,
      NodeProcessor processor,
      GraphConfig graphs,
      long outOfOrderness,
      Consumer<ObjectNode> lines) {
    this.name = name;
    this.processor = processor;
    this.graphs = new GraphRuns(graphs, json -> tell(parse(json)));
    this.outOfOrderness = outOfOrderness;
    this.lines = lines;
  }

  /** Feeds all samples and lets event time run to the end. */
  void play(List<JsonNode> samples, List<JsonNode> edges) {
    processor.refused().forEach(this::refused);
    graphs.refused().forEach(this::refused);
    graphs.edges(edges);
    for (index = 0; index < samples.size(); index++) {
      byte[] value = samples.get(index).toString().getBytes(StandardCharsets.UTF_8);
      decoder.decode(new RawRecord(SOURCE, 0, index, RawRecord.NO_TIMESTAMP, null, value), this);
      pass();
    }
    fire(Long.MAX_VALUE);
    graphs.advance(Long.MAX_VALUE);
    lines.accept(line("done").put("samples", samples.size()).put("late", late));
  }

  @Override
  public void sample(
      String graph, String node, long time, SeriesKey key, double value, long start) {
    latest = Math.max(latest, time);
    if (time <= watermark) {
      late++;
      lines.accept(line("late").put("index", index));
      return;
    }
    Node to =
        nodes.computeIfAbsent(
            Block.key(graph, node), k -> new Node(new NodeState(graph, node), nodes.size()));
    long[] starts = start == 0 ? null : new long[] {start};
    processor.buffer(
        to.state, new Block(graph, node, time, Layout.of(key), new double[] {value}, starts));
    schedule(to, Math.min(to.timer, time));
  }

  /** Event time follows the latest sample. */
  private void pass() {
    if (latest != Long.MIN_VALUE) {
      watermark = Math.max(watermark, latest - outOfOrderness - 1);
      fire(watermark);
      graphs.advance(watermark);
    }
  }

  private void refused(Refusal refusal) {
    ObjectNode line = line("refused").put("pattern", refusal.pattern());
    lines.accept(line.put("reason", refusal.reason()));
  }

  private void fire(long time) {
    while (!timers.isEmpty() && timers.peek().time() <= time) {
      Timer timer = timers.poll();
      Node node = timer.node();
      if (node.timer == timer.time()) {
        node.timer = Long.MAX_VALUE;
        processor.advance(node.state, timer.time(), this);
        schedule(node, processor.nextTimer(node.state));
      }
    }
  }

  private void schedule(Node node, long time) {
    if (time != node.timer) {
      node.timer = time;
      timers.add(new Timer(time, node));
    }
  }

  @Override
  public void called(Edge edge) {
    // No graph is made here.
  }

  @Override
  public void match(String graph, long time, byte[] json) {
    graphs.match(graph, time, json);
    tell(parse(json));
  }

  private void tell(ObjectNode match) {
    ObjectNode line = line(match.get("kind").textValue());
    line.put("pattern", match.get("pattern").textValue());
    String graph = match.get("graph").textValue();
    line.put("key", graph + '/' + match.get("node").textValue());
    ObjectNode steps = line.putObject("steps");
    for (JsonNode step : match.get("steps")) {
      List<JsonNode> times = new ArrayList<>();
      step.get("samples").forEach(sample -> times.add(sample.get("time")));
      steps.putArray(step.get("name").textValue()).addAll(times);
    }
    line.set("ready_at", match.get("time"));
    line.set("match", match);
    lines.accept(line);
  }

  private static ObjectNode parse(byte[] json) {
    try {
      return (ObjectNode) Json.mapper().readTree(json);
    } catch (IOException e) {
      throw new IllegalStateException("a match is not JSON", e);
    }
  }

  private ObjectNode line(String type) {
    return Json.mapper().createObjectNode().put("run", name).put("type", type);
  }

  @Override
  public void edge(Edge edge) {
    throw wrong("an edge among the samples");
  }

  @Override
  public void call(Edge edge) {
    // Its series has the caller as peer.
  }

  @Override
  public void deadLetter(String reason, String detail) {
    throw wrong(reason + ": " + detail);
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("run '" + name + "', sample " + index + ": " + what);
  }

  @Override
  public void ignored(String reason) {}

  @Override
  public void frame(NodeFrame frame) {}

  @Override
  public void add(String reason) {}
}
