package io.faultline.cli;

import io.faultline.cep.SampleEvent;
import io.faultline.cli.JsonCommand.Lines;
import io.faultline.decode.BlockSplitter;
import io.faultline.node.NodeConfig;
import io.faultline.node.NodeOutput;
import io.faultline.node.NodeProcessor;
import io.faultline.node.NodeState;
import io.faultline.node.Resolved;
import io.faultline.node.SignalRules;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** Samples of a few records through the job's own normaliser, node by node. */
final class Normalised {
  /** Counted reasons that mean a point gave no sample. */
  private static final Set<String> DROPPED =
      Set.of(
          "duplicate",
          "went_back",
          "too_close",
          "step_back",
          "not_finite",
          "negative_counter",
          "series_refused");

  private final NodeProcessor processor;
  private final SentSeries sentSeries;
  private final BlockSplitter splitter = new BlockSplitter();
  private final Map<String, List<Sent>> byNode = new LinkedHashMap<>();
  private int current = -1;

  /** A block and the record that it came in. */
  private record Sent(int record, Block block) {}

  Normalised(NodeConfig config) {
    SignalRules rules = new SignalRules(config.rules());
    this.processor = new NodeProcessor(config, rules);
    this.sentSeries = new SentSeries(rules);
  }

  /** Takes a sample; records come one after the other. */
  void add(
      int record, String graph, String node, long time, SeriesKey key, double value, long start) {
    if (record != current) {
      flush();
      current = record;
    }
    splitter.add(graph, node, time, key, value, start);
    sentSeries.add(record, graph, node, key);
  }

  private void flush() {
    splitter.flush(
        block ->
            byNode
                .computeIfAbsent(block.key(), k -> new ArrayList<>())
                .add(new Sent(current, block)));
  }

  /**
   * Writes the normalised samples of all nodes and what was left out, then what each series was
   * taken for, then the names that no rule knows.
   */
  void write(Lines out) throws IOException {
    flush();
    for (List<Sent> sent : byNode.values()) {
      sent.sort(Comparator.comparingLong(s -> s.block().time()));
      Block first = sent.get(0).block();
      NodeState state = new NodeState(first.graph(), first.node());
      NodeLines lines = new NodeLines(state);
      for (Sent one : sent) {
        lines.begin(one);
        processor.step(state, one.block(), lines);
      }
      processor.advance(state, Long.MAX_VALUE, lines);
      for (ObjectNode line : lines.all) {
        out.write(line);
      }
    }
    sentSeries.write(out);
  }

  /** The lines of one node. */
  private final class NodeLines implements NodeOutput {
    private final NodeState state;
    private final List<ObjectNode> all = new ArrayList<>();
    private final Map<Long, Integer> recordAt = new HashMap<>();
    private int record;

    NodeLines(NodeState state) {
      this.state = state;
    }

    void begin(Sent sent) {
      record = sent.record();
      recordAt.put(sent.block().time(), record);
    }

    @Override
    public boolean wantsSamples() {
      return true;
    }

    /** What is derived of several points may come after the next record was begun. */
    @Override
    public void sample(SampleEvent sample) {
      SeriesKey key = sample.series().key();
      Resolved resolved = processor.resolved(state, key);
      String rule = resolved.place() == null ? sentSeries.ruleOfTotal(key) : resolved.place();
      int from = recordAt.getOrDefault(sample.time(), record);
      all.add(DecodeLines.normalised(from, sample, resolved, rule));
    }

    @Override
    public void called(Edge edge) {
      all.add(DecodeLines.edge(recordAt.getOrDefault(edge.time(), record), edge));
    }

    @Override
    public void add(String reason) {
      if (DROPPED.contains(reason)) {
        all.add(DecodeLines.ignored(record, reason));
      }
    }

    @Override
    public void noted(NodeState state, SeriesKey series, long time, String reason) {
      all.add(DecodeLines.note(record, state, series, time, reason));
    }

    @Override
    public void frame(NodeFrame frame) {
      // Only samples are shown.
    }

    @Override
    public void match(String graph, long time, byte[] json) {
      // No patterns run here.
    }
  }
}
