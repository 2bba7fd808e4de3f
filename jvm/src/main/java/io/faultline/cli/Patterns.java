package io.faultline.cli;

import io.faultline.node.NodeProcessor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Tests and runs patterns on the production engine: samples in, matches out, each run on its own. A
 * line has "run" and "type": match and timeout (pattern, key "graph/node", steps {name: [times]},
 * ready_at, match), late (index of the sample), refused (pattern, reason), done (samples, late).
 * Times are ms UTC.
 */
public final class Patterns {
  private static final int BUFFER = 1 << 16;

  private Patterns() {}

  public static void main(String[] args) {
    PrintStream out =
        new PrintStream(
            new BufferedOutputStream(System.out, BUFFER), false, StandardCharsets.UTF_8);
    System.exit(run(System.in, out, System.err));
  }

  /** Answers one request; returns the exit code. */
  static int run(InputStream in, PrintStream out, PrintStream err) {
    try {
      answer(PatternsRequest.read(in.readAllBytes()), out);
      return out.checkError() ? 1 : 0;
    } catch (IOException | IllegalArgumentException e) {
      err.println("patterns: " + e.getMessage());
      return 1;
    } finally {
      out.flush();
    }
  }

  private static void answer(PatternsRequest request, PrintStream out) {
    NodeProcessor processor = new NodeProcessor(request.nodes());
    for (PatternsRequest.Run run : request.runs()) {
      new PatternRun(
              run.name(), processor, request.graphs(), request.outOfOrdernessMs(), out::println)
          .play(run.samples(), run.edges() == null ? List.of() : run.edges());
    }
  }
}
