package io.faultline.cli;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.Refusal;
import io.faultline.cep.SampleEvent;
import io.faultline.cep.Tracer;
import io.faultline.config.Json;
import io.faultline.decode.BlockSplitter;
import io.faultline.decode.Decoder;
import io.faultline.decode.NativeDecoder;
import io.faultline.decode.RawRecord;
import io.faultline.graph.GraphConfig;
import io.faultline.node.NodeOutput;
import io.faultline.node.NodeProcessor;
import io.faultline.node.NodeState;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One stream of samples through decoder, normaliser and patterns, with the operator's own handling
 * of time: a watermark after each sample, one timer per node, late samples left out.
 */
final class PatternRun implements Decoder.Output, NodeOutput {
  private static final String SOURCE = "samples";
  private static final int BUFFER = 1 << 16;

  private final String name;
  private final NodeProcessor processor;
  private final long outOfOrderness;
  private final Consumer<ObjectNode> lines;
  private final GraphRuns graphs;
  private final Costs costs;
  private final List<Patience> patience;
  @Nullable private final Tracer tracer;
  private final BlockSplitter blocks = new BlockSplitter();
  private final Map<String, Node> nodes = new HashMap<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(
          Comparator.comparingLong(Timer::time).thenComparingInt(t -> t.node().order));
  private long latest = Long.MIN_VALUE;
  private long watermark = Long.MIN_VALUE;
  private int index;

  /** The file of a recording that is being read; null = the samples of the request. */
  @Nullable private Path file;

  /** Nothing is read after this moment of {@link System#nanoTime}. */
  private long until = Long.MAX_VALUE;

  private int late;

  /** The node whose samples are being processed. */
  private Node current;

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
      @Nullable Tracer tracer,
      Consumer<ObjectNode> lines) {
    this.name = name;
    this.processor = processor;
    this.graphs = new GraphRuns(graphs, json -> tell(parse(json)), this::sight);
    this.outOfOrderness = outOfOrderness;
    this.tracer = tracer;
    this.lines = lines;
    List<CompiledPattern> all = new ArrayList<>(processor.patterns());
    all.addAll(this.graphs.patterns());
    this.costs = new Costs(all);
    this.patience =
        List.of(
            new Patience(processor.patterns(), processor::use),
            new Patience(this.graphs.patterns(), this.graphs::use));
  }

  /** Feeds all samples, lets event time run to the end, and tells what each pattern cost. */
  void play(List<JsonNode> samples, List<JsonNode> edges) {
    begin();
    graphs.edges(edges);
    long began = System.nanoTime();
    Decoder decoder = new NativeDecoder(null);
    for (index = 0; index < samples.size(); index++) {
      byte[] value = samples.get(index).toString().getBytes(StandardCharsets.UTF_8);
      decoder.decode(new RawRecord(SOURCE, 0, index, RawRecord.NO_TIMESTAMP, null, value), this);
      pass();
    }
    end(samples.size(), began);
  }

  /**
   * Feeds the begin of a recording as long as is said and forgets what came of it: the JVM compiles
   * what the run that is measured will use.
   *
   * @param nanos for how long, ns
   */
  void rehearse(Path folder, long nanos) throws IOException {
    until = System.nanoTime() + nanos;
    play(folder);
  }

  /** Feeds a recording; tells at the end what each pattern cost. */
  void play(Path folder) throws IOException {
    begin();
    JsonNode meta = Json.mapper().readTree(Files.readAllBytes(folder.resolve("recording.json")));
    Decoder decoder = new NativeDecoder(meta.path("graph").asText());
    long began = System.nanoTime();
    read(folder.resolve("edges.ndjson.gz"), decoder);
    index = 0;
    read(folder.resolve("samples.ndjson.gz"), decoder);
    int samples = index;
    pass();
    end(samples, began);
  }

  /** An absent file is an empty one, and so is one without a byte, which gzip does not know. */
  private void read(Path path, Decoder decoder) {
    file = path;
    try {
      if (Files.exists(path) && Files.size(path) > 0) {
        readLines(path, decoder);
      }
    } catch (IOException e) {
      throw wrong("cannot be read: " + e.getMessage());
    }
  }

  private void readLines(Path path, Decoder decoder) throws IOException {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(path), BUFFER), StandardCharsets.UTF_8))) {
      String source = path.toString();
      String text = in.readLine();
      for (; text != null && System.nanoTime() < until; text = in.readLine(), index++) {
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        decoder.decode(new RawRecord(source, 0, index, RawRecord.NO_TIMESTAMP, null, value), this);
      }
    }
  }

  private void begin() {
    processor.refused().forEach(this::refused);
    graphs.refused().forEach(this::refused);
  }

  private void end(int samples, long began) {
    fire(Long.MAX_VALUE);
    graphs.advance(Long.MAX_VALUE);
    costs.tell(samples, System.nanoTime() - began, cost -> lines.accept(line("cost").setAll(cost)));
    lines.accept(line("done").put("samples", samples).put("late", late));
  }

  @Override
  public void sample(
      String graph, String node, long time, SeriesKey key, double value, long start) {
    if (time > latest) {
      pass();
      latest = time;
    }
    if (time <= watermark) {
      late++;
      lines.accept(line("late").put("index", index));
      return;
    }
    blocks.add(graph, node, time, key, value, start);
  }

  private void buffer(Block block) {
    Node to =
        nodes.computeIfAbsent(
            block.key(), k -> new Node(new NodeState(block.graph(), block.node()), nodes.size()));
    processor.buffer(to.state, block);
    schedule(to, Math.min(to.timer, block.time()));
  }

  /** Event time follows the latest sample. */
  private void pass() {
    blocks.flush(this::buffer);
    if (latest != Long.MIN_VALUE) {
      watermark = Math.max(watermark, latest - outOfOrderness - 1);
      fire(watermark);
      graphs.advance(watermark);
      costs.look();
      giveUp();
    }
  }

  /** Lets the patterns go that would keep the run from ending. */
  private void giveUp() {
    patience.forEach(each -> each.look(index, this::refused));
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
        current = node;
        giveUp();
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
    graphs.edge(edge);
  }

  @Override
  public boolean wantsSamples() {
    return tracer != null;
  }

  @Override
  public void sample(SampleEvent sample) {
    trace(current.state.runs(), sample);
  }

  private void sight(KeyRuns runs, Event sight) {
    if (tracer != null) {
      trace(runs, sight);
    }
    giveUp();
  }

  private void trace(KeyRuns runs, Event event) {
    tracer.look(runs, event, look -> lines.accept(line("trace").setAll(look)));
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
    if (file == null) {
      throw wrong("an edge among the samples");
    }
    graphs.edge(edge);
  }

  @Override
  public void call(Edge edge) {
    // Its series has the caller as peer.
  }

  @Override
  public void deadLetter(String reason, String detail) {
    throw wrong(reason + ": " + detail);
  }

  private WrongDataException wrong(String what) {
    String place = file == null ? "sample " + index : file + ":" + (index + 1);
    return new WrongDataException(place + ": " + what);
  }

  @Override
  public void ignored(String reason) {}

  @Override
  public void frame(NodeFrame frame) {
    graphs.frame(frame);
  }

  @Override
  public void add(String reason) {}
}
