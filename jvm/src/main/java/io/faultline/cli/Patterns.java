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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Tests and runs patterns on the production engine: samples in, matches out, each run on its own. A
 * line has "run" and "type": match and timeout (pattern, key "graph/node", steps {name: [times]},
 * ready_at, match), late (index of the sample), refused (pattern, reason; also in the middle, where
 * a pattern is given up), trace (as {@link Tracer#look} tells), cost (what a pattern took of a
 * recording), wrong (reason: data that cannot be read), done (samples, late); a line of type
 * automaton has no run. Times are ms UTC.
 */
public final class Patterns {
  private static final int BUFFER = 1 << 16;
  private static final long REHEARSAL_NANOS = 500_000_000L;

  private final PatternsRequest request;
  private final PrintStream out;
  private final List<Rule> rules;
  private final SignalRules signals;

  /** The sets of patterns for which the JVM has warmed up. */
  private final Set<List<String>> rehearsed = new HashSet<>();

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
      try {
        play(run);
      } catch (WrongDataException e) {
        ObjectNode line = Json.mapper().createObjectNode().put("run", run.name());
        out.println(line.put("type", "wrong").put("reason", e.getMessage()));
      }
    }
  }

  private void play(PatternsRequest.Run run) throws IOException {
    if (run.recording() == null) {
      player(run, out::println).play(run.samples(), run.edges());
      return;
    }
    Path recording = Path.of(run.recording());
    if (rehearsed.add(request.patterns(run))) {
      player(run, line -> {}).rehearse(recording, REHEARSAL_NANOS);
    }
    player(run, out::println).play(recording);
  }

  private PatternRun player(PatternsRequest.Run run, Consumer<ObjectNode> lines) {
    Tracer tracer = null;
    if (run.isTraced()) {
      List<JsonNode> own =
          request.patterns(run).stream()
              .map(text -> Json.read(text, JsonNode.class, "patterns"))
              .toList();
      tracer = new Tracer(models(own));
    }
    return new PatternRun(
        run.name(),
        new NodeProcessor(request.nodes(run, rules), signals),
        request.graphs(run),
        request.outOfOrderness(run),
        tracer,
        lines);
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
