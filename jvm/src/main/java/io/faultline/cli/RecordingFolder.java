package io.faultline.cli;

import io.faultline.decode.BlockSplitter;
import io.faultline.decode.Decoder;
import io.faultline.decode.NativeDecoder;
import io.faultline.decode.RawRecord;
import io.faultline.graph.GraphRun;
import io.faultline.node.NodeProcessor;
import io.faultline.node.NodeState;
import io.faultline.node.SignalRules;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The folder of a recording through the normaliser and the packer, as the job does it with no
 * lateness: a sample before the last time is counted as late and left out.
 */
final class RecordingFolder implements Decoder.Output {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BUFFER = 1 << 16;

  private final GraphRun run;
  private final NodeProcessor processor;
  private final long tickMs;
  private final Map<String, NodeState> nodes = new LinkedHashMap<>();
  private final BlockSplitter blocks = new BlockSplitter();
  private long time = Long.MIN_VALUE;

  private RecordingFolder(GraphRun run, NodeProcessor processor, long tickMs) {
    this.run = run;
    this.processor = processor;
    this.tickMs = tickMs;
  }

  static GraphRun run(Path folder, FramesRequest request, SignalRules rules) throws IOException {
    JsonNode meta = JSON.readTree(Files.readAllBytes(folder.resolve("recording.json")));
    String graph = meta.path("graph").asText();
    long interval = meta.path("interval").asLong();
    NodeProcessor processor = new NodeProcessor(request.nodes(interval), rules);
    GraphRun run = new GraphRun(request.graphs(interval), graph);
    RecordingFolder reader =
        new RecordingFolder(run, processor, request.nodes(interval).tickMs(graph));
    NativeDecoder decoder = new NativeDecoder(graph);
    reader.read(folder.resolve("edges.ndjson.gz"), decoder);
    reader.read(folder.resolve("samples.ndjson.gz"), decoder);
    reader.end();
    return run;
  }

  private void read(Path path, Decoder decoder) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(path), BUFFER), StandardCharsets.UTF_8))) {
      String name = path.toString();
      String line = lines.readLine();
      for (long number = 0; line != null; number++) {
        byte[] value = line.getBytes(StandardCharsets.UTF_8);
        decoder.decode(new RawRecord(name, 0, number, RawRecord.NO_TIMESTAMP, null, value), this);
        line = lines.readLine();
      }
    }
  }

  @Override
  public void sample(String graph, String node, long at, SeriesKey key, double value, long start) {
    if (at < time) {
      run.add("late_samples");
      return;
    }
    if (at > time) {
      pass(at);
    }
    blocks.add(graph, node, at, key, value, start);
  }

  /** Processes the blocks of the last time; where a tick has ended, lets all nodes know. */
  private void pass(long next) {
    blocks.flush(this::step);
    if (time != Long.MIN_VALUE && Math.floorDiv(next, tickMs) > Math.floorDiv(time, tickMs)) {
      nodes.values().forEach(state -> processor.advance(state, next - 1, run));
      run.advance(next - 1);
    }
    time = next;
  }

  private void step(Block block) {
    NodeState state =
        nodes.computeIfAbsent(block.node(), node -> new NodeState(block.graph(), node));
    processor.step(state, block, run);
  }

  private void end() {
    blocks.flush(this::step);
    nodes.values().forEach(state -> processor.advance(state, Long.MAX_VALUE, run));
    run.end();
  }

  @Override
  public void edge(Edge edge) {
    run.edge(edge);
  }

  @Override
  public void call(Edge edge) {
    // Its series has the caller as peer.
  }

  @Override
  public void deadLetter(String reason, String detail) {
    run.add("dead_letter_" + reason);
  }

  @Override
  public void ignored(String reason) {
    run.add("ignored_" + reason);
  }
}
