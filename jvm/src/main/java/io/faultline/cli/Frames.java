package io.faultline.cli;

import io.faultline.graph.GraphRun;
import io.faultline.node.Rule;
import io.faultline.node.SignalRules;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The batch entry: recordings or matrices to frame rows, by the code that the job runs. Writes the
 * rows to the file {@code out}, each after its length (int32, little-endian), in order of inputs
 * and then of time. Prints for each input a line {"input": i, "frames": n, "matches": [...],
 * "counts": {reason: n}}.
 */
public final class Frames {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BUFFER = 1 << 20;

  private Frames() {}

  public static void main(String[] args) {
    System.exit(run(System.in, System.out, System.err));
  }

  /** Answers one request; returns the exit code. */
  static int run(InputStream in, PrintStream out, PrintStream err) {
    try {
      answer(FramesRequest.parse(JSON.readTree(in)), out);
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      err.println("frames: " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      err.println("frames: interrupted");
      return 1;
    }
  }

  private static void answer(FramesRequest request, PrintStream out)
      throws IOException, InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (OutputStream file =
        new BufferedOutputStream(Files.newOutputStream(request.out()), BUFFER)) {
      List<Rule> rules = Rule.parseAll(request.json().path("rules"));
      ThreadLocal<SignalRules> perThread = ThreadLocal.withInitial(() -> new SignalRules(rules));
      Deque<Future<GraphRun>> ahead = new ArrayDeque<>();
      int submitted = 0;
      for (int i = 0; i < request.inputs().size(); i++) {
        while (submitted < request.inputs().size() && ahead.size() < 2 * threads) {
          FramesRequest.Input input = request.inputs().get(submitted++);
          ahead.add(pool.submit(() -> one(input, request, perThread.get())));
        }
        write(i, result(ahead.remove()), file, out);
      }
    } finally {
      pool.shutdownNow();
      out.flush();
    }
  }

  private static GraphRun one(FramesRequest.Input input, FramesRequest request, SignalRules rules)
      throws IOException {
    return input.matrix()
        ? MatrixFile.run(input.path(), request, rules)
        : RecordingFolder.run(input.path(), request, rules);
  }

  private static GraphRun result(Future<GraphRun> future) throws IOException, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof IllegalArgumentException bad) {
        throw bad;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static void write(int index, GraphRun run, OutputStream file, PrintStream out)
      throws IOException {
    ByteBuffer length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
    for (byte[] row : run.rows()) {
      file.write(length.putInt(0, row.length).array());
      file.write(row);
    }
    ObjectNode line = JSON.createObjectNode();
    line.put("input", index).put("frames", run.rows().size());
    for (byte[] match : run.matches()) {
      line.withArray("matches").add(JSON.readTree(match));
    }
    line.withArray("matches");
    line.set("counts", JSON.valueToTree(run.counts()));
    out.println(line);
  }
}
