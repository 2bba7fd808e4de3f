package io.faultline.cli;

import io.faultline.cep.AutomatonJson;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.PatternRefusedException;
import io.faultline.cep.Tracer;
import io.faultline.config.Json;
import io.faultline.node.NodeProcessor;
import io.faultline.node.Rule;
import io.faultline.node.SignalRules;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Tests and runs patterns on the production engine: samples in, matches out, each run on its own. A
 * line has "run" and "type": match and timeout (pattern, key "graph/node", steps {name: [times]},
 * ready_at, match), late (index of the sample), refused (pattern, reason), trace (as {@link
 * Tracer#look} tells), cost (what a pattern took of a recording), done (samples, late); a line of
 * type automaton has no run. Times are ms UTC.
 */
public final class Patterns {
  private static final int BUFFER = 1 << 16;

  private final PatternsRequest request;
  private final PrintStream out;
  private final List<Rule> rules;
  private final SignalRules signals;

  private Patterns(PatternsRequest request, PrintStream out) {
    this.request = request;
    this.out = out;
    this.rules = request.signalRules();
    this.signals = new SignalRules(rules);
  }

  public static void main(String[] args) {
    PrintStream out =
        new PrintStream(
            new BufferedOutputStream(System.out, BUFFER), false, StandardCharsets.UTF_8);
    System.exit(run(System.in, out, System.err));
  }

  /** Answers one request; returns the exit code. */
  static int run(InputStream in, PrintStream out, PrintStream err) {
    try {
      new Patterns(PatternsRequest.read(in.readAllBytes()), out).answer();
      return out.checkError() ? 1 : 0;
    } catch (IOException | IllegalArgumentException e) {
      err.println("patterns: " + e.getMessage());
      return 1;
    } finally {
      out.flush();
    }
  }

  private void answer() throws IOException {
    if (Boolean.TRUE.equals(request.automata())) {
      for (JsonNode pattern : request.patterns()) {
        models(List.of(pattern)).forEach(this::describe);
      }
    }
    for (PatternsRequest.Run run : request.runs()) {
      Tracer tracer = null;
      if (run.isTraced()) {
        List<JsonNode> own =
            request.patterns(run).stream()
                .map(text -> Json.read(text, JsonNode.class, "patterns"))
                .toList();
        tracer = new Tracer(models(own));
      }
      PatternRun player =
          new PatternRun(
              run.name(),
              new NodeProcessor(request.nodes(run, rules), signals),
              request.graphs(run),
              request.outOfOrderness(run),
              tracer,
              out::println);
      if (run.recording() == null) {
        player.play(run.samples(), run.edges());
      } else {
        player.play(Path.of(run.recording()));
      }
    }
  }

  /** Those that are refused are told by the run. */
  private static List<PatternModel> models(List<JsonNode> patterns) {
    return PatternReader.readAll(patterns, new ArrayList<>());
  }

  private void describe(PatternModel model) {
    try {
      ObjectNode automaton = AutomatonJson.of(model);
      out.println(automaton.put("type", "automaton"));
    } catch (PatternRefusedException e) {
      ObjectNode line = Json.mapper().createObjectNode().put("type", "automaton");
      out.println(line.put("pattern", model.id()).put("refused", e.getMessage()));
    }
  }
}
