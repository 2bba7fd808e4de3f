package io.faultline.bench;

import com.sun.management.ThreadMXBean;
import io.faultline.config.IdentityConfig;
import io.faultline.decode.BlockSplitter;
import io.faultline.decode.Decoder;
import io.faultline.decode.Decoders;
import io.faultline.decode.RawRecord;
import io.faultline.node.NodeConfig;
import io.faultline.node.NodeOutput;
import io.faultline.node.NodeProcessor;
import io.faultline.node.NodeState;
import io.faultline.records.Block;
import io.faultline.records.BlockSerializer;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The per-sample path without Flink and Kafka, in one thread: CPU time and allocated bytes per
 * sample of each stage. Arguments: configuration of the job's sources as JSON, format, file of
 * records as {@link Feed} reads them, records to leave out as warm-up. Prints one JSON object.
 */
public final class Stages implements Decoder.Output, NodeOutput {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final BlockSplitter splitter = new BlockSplitter();
  private final DataOutputSerializer written = new DataOutputSerializer(1 << 16);
  private final DataInputDeserializer read = new DataInputDeserializer();
  private final Map<String, NodeState> states = new HashMap<>();
  private final Decoder decoder;
  private final NodeProcessor processor;
  private final Stage decode = new Stage("decode and split");
  private final Stage serialise = new Stage("serialise and read back");
  private final Stage node = new Stage("normalise, detect, frame");
  private final List<Block> blocks = new ArrayList<>();
  private long samples;
  private long frames;
  private long matches;
  private long wireBytes;

  private Stages(JsonNode config, String format) {
    decoder = Decoders.create(format, IdentityConfig.DEFAULT, "default");
    processor = new NodeProcessor(NodeConfig.parse(config));
  }

  public static void main(String[] arguments) throws IOException {
    JsonNode config = new ObjectMapper().readTree(Path.of(arguments[0]).toFile());
    Stages stages = new Stages(config, arguments[1]);
    stages.run(Path.of(arguments[2]), Integer.parseInt(arguments[3]));
    System.out.println(stages.result());
  }

  private void run(Path file, int warm) throws IOException {
    long scrape = Long.MIN_VALUE;
    int count = 0;
    try (DataInputStream in = open(file)) {
      while (in.available() > 0) {
        long time = in.readLong();
        byte[] value = new byte[in.readInt()];
        in.readFully(value);
        if (time != scrape) {
          through(scrape);
          scrape = time;
        }
        if (count++ == warm) {
          reset();
        }
        decode.begin();
        decoder.decode(new RawRecord("topic", 0, count, time, null, value), this);
        splitter.flush(blocks::add);
        decode.end();
      }
    }
    through(scrape);
  }

  private static DataInputStream open(Path file) throws IOException {
    InputStream raw = Files.newInputStream(file);
    return new DataInputStream(new BufferedInputStream(raw, 1 << 20));
  }

  private void reset() {
    samples = 0;
    wireBytes = 0;
    decode.reset();
    serialise.reset();
    node.reset();
  }

  /** The rest of the way for what was decoded of one event time. */
  private void through(long time) throws IOException {
    serialise.begin();
    for (int i = 0; i < blocks.size(); i++) {
      written.clear();
      BlockSerializer.INSTANCE.serialize(blocks.get(i), written);
      wireBytes += written.length();
      read.setBuffer(written.getSharedBuffer(), 0, written.length());
      blocks.set(i, BlockSerializer.INSTANCE.deserialize(read));
    }
    serialise.end();
    node.begin();
    for (Block block : blocks) {
      NodeState state =
          states.computeIfAbsent(block.key(), k -> new NodeState(block.graph(), block.node()));
      processor.buffer(state, block);
      processor.advance(state, time, this);
    }
    node.end();
    blocks.clear();
  }

  private String result() {
    return "{"
        + String.join(", ", decode.json(samples), serialise.json(samples), node.json(samples))
        + ", \"samples\": "
        + samples
        + ", \"frames\": "
        + frames
        + ", \"matches\": "
        + matches
        + ", \"bytes between the tasks\": "
        + (double) wireBytes / samples
        + "}";
  }

  @Override
  public void sample(
      String graph, String name, long time, SeriesKey key, double value, long start) {
    samples++;
    splitter.add(graph, name, time, key, value, start);
  }

  @Override
  public void call(Edge edge) {
    edge(edge);
  }

  @Override
  public void edge(Edge edge) {
    throw new IllegalStateException("the load has no edges");
  }

  @Override
  public void deadLetter(String reason, String detail) {
    throw new IllegalStateException(reason + ": " + detail);
  }

  @Override
  public void ignored(String reason) {
    throw new IllegalStateException(reason);
  }

  @Override
  public void frame(NodeFrame frame) {
    frames++;
  }

  @Override
  public void called(Edge edge) {
    // Counted with the frames downstream.
  }

  @Override
  public void match(String graph, long time, byte[] json) {
    matches++;
  }

  @Override
  public void add(String reason) {
    // Counted by the job.
  }

  /** What one stage used of this thread. */
  private static final class Stage {
    private final String name;
    private long cpu;
    private long bytes;
    private long cpuBefore;
    private long bytesBefore;

    Stage(String name) {
      this.name = name;
    }

    void reset() {
      cpu = 0;
      bytes = 0;
    }

    void begin() {
      bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
      cpuBefore = THREADS.getCurrentThreadCpuTime();
    }

    void end() {
      cpu += THREADS.getCurrentThreadCpuTime() - cpuBefore;
      bytes += THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
    }

    String json(long samples) {
      double ns = (double) cpu / samples;
      double allocated = (double) bytes / samples;
      return String.format(
          "\"%s\": {\"cpu_ns\": %.1f, \"allocated_bytes\": %.1f}", name, ns, allocated);
    }
  }
}
