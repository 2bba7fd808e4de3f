package io.faultline.cli;

import io.faultline.cli.JsonCommand.Lines;
import io.faultline.config.Json;
import io.faultline.decode.Decoder;
import io.faultline.decode.Decoders;
import io.faultline.decode.FutureGuard;
import io.faultline.decode.RawRecord;
import io.faultline.node.NodeConfig;
import io.faultline.node.SignalRules;
import io.faultline.records.Edge;
import io.faultline.records.Exemplar;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Shows how payloads are read. The request is a {@link DecodeRequest}; the answer has a line for
 * each sample, edge, dead letter and ignored point, with {@code record}, its index. With {@code
 * normalised} samples come after all records were read, per node in order of event time.
 */
public final class Decode {
  private Decode() {}

  public static void main(String[] args) {
    System.exit(run(System.in, System.out, System.err));
  }

  static int run(InputStream in, OutputStream out, PrintStream err) {
    return JsonCommand.run("decode", in, out, err, Decode::answer);
  }

  private static void answer(byte[] bytes, Lines out) throws IOException {
    DecodeRequest request = DecodeRequest.parse(bytes);
    Decoder decoder = Decoders.create(request.decoding(), request.graph());
    NodeConfig nodes = NodeConfig.parse(Json.read(bytes, JsonNode.class, "request"));
    Normalised normalised = request.normalised() ? new Normalised(nodes) : null;
    RecordLines lines = new RecordLines(out, new SignalRules(nodes.rules()), normalised);
    FutureGuard guard = new FutureGuard(lines, request.maxFutureMs());
    for (RawRecord record : request.raw()) {
      lines.begin((int) record.offset());
      guard.begin(record);
      decoder.decode(record, guard);
    }
    lines.flush();
    if (normalised != null) {
      normalised.write(out);
    }
  }

  /** Writes what one record gives, or keeps its samples for later. */
  private static final class RecordLines implements Decoder.Output {
    private final Lines out;
    private final SignalRules rules;
    private final Normalised normalised;
    private final Set<Edge> called = new HashSet<>();
    private int record;

    /** The last sample, which exemplars may still join. */
    @Nullable private ObjectNode pending;

    RecordLines(Lines out, SignalRules rules, Normalised normalised) {
      this.out = out;
      this.rules = rules;
      this.normalised = normalised;
    }

    private void write(ObjectNode line) {
      flush();
      try {
        out.write(line);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Writes the sample that nothing more belongs to. */
    void flush() {
      ObjectNode line = pending;
      pending = null;
      if (line != null) {
        write(line);
      }
    }

    @Override
    public void sample(
        String graph, String node, long time, SeriesKey key, double value, long start) {
      if (normalised == null) {
        flush();
        Kind kind = key.kind() == Kind.UNSAID ? rules.resolve(key).kind() : key.kind();
        pending = DecodeLines.sample(record, graph, node, time, key, kind, value);
      } else {
        normalised.add(record, graph, node, time, key, value, start);
      }
    }

    @Override
    public void exemplar(Exemplar exemplar) {
      if (pending != null) {
        DecodeLines.addExemplar(pending, exemplar);
      }
    }

    void begin(int index) {
      flush();
      record = index;
      called.clear();
    }

    /** Once per record; normalised, the node tells of it as the job's does. */
    @Override
    public void call(Edge edge) {
      if (normalised == null && called.add(edge)) {
        edge(edge);
      }
    }

    @Override
    public void edge(Edge edge) {
      write(DecodeLines.edge(record, edge));
    }

    @Override
    public void deadLetter(String reason, String detail) {
      write(DecodeLines.deadLetter(record, reason, detail));
    }

    @Override
    public void ignored(String reason) {
      write(DecodeLines.ignored(record, reason));
    }
  }
}
