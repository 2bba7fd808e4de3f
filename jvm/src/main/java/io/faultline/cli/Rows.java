package io.faultline.cli;

import io.faultline.cep.CepSettings;
import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Event;
import io.faultline.cep.Expr;
import io.faultline.cep.MatchOutput;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.PatternRefusedException;
import io.faultline.cep.PatternStats;
import io.faultline.config.Json;
import io.faultline.rows.RowRun;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.types.Row;

/**
 * Runs patterns over lists of rows, each run on its own: {"runs": [{name, pattern,
 * out_of_orderness_ms, partials_per_key, rows: [{key, time, row}]}]}. A line of the answer has
 * "run" and "type": match and timeout (steps {name: [index of the row]}, ready_at), late (index),
 * refused (reason), done. Times are ms UTC.
 */
public final class Rows {
  private Rows() {}

  public static void main(String[] args) {
    System.exit(JsonCommand.run("rows", System.in, System.out, System.err, Rows::answer));
  }

  private static void answer(byte[] request, JsonCommand.Lines out) throws IOException {
    for (JsonNode run : Json.read(request, JsonNode.class, "request").path("runs")) {
      new Run(run.path("name").asText(), out).play(run);
    }
  }

  /** One run; lines that could not be written are told at its end. */
  private static final class Run implements MatchOutput {
    private final String name;
    private final JsonCommand.Lines out;
    private final Map<Row, Integer> index = new IdentityHashMap<>();
    @Nullable private IOException broken;

    Run(String name, JsonCommand.Lines out) {
      this.name = name;
      this.out = out;
    }

    void play(JsonNode run) throws IOException {
      PatternModel pattern;
      try {
        pattern = PatternReader.read(run.path("pattern"));
      } catch (PatternRefusedException e) {
        write(line("refused").put("reason", e.getMessage()));
        return;
      }
      int partials = run.path("partials_per_key").asInt(CepSettings.DEFAULT.partialsPerKey());
      RowRun rows =
          new RowRun(
              pattern,
              new CepSettings(partials, true),
              run.path("out_of_orderness_ms").asLong(),
              this);
      for (String reason : rows.refused()) {
        write(line("refused").put("reason", reason));
      }
      feed(rows, pattern, run.path("rows"));
      write(line("done"));
      if (broken != null) {
        throw broken;
      }
    }

    private void feed(RowRun rows, PatternModel pattern, JsonNode list) {
      long began = System.nanoTime();
      PatternStats stats = rows.stats();
      for (JsonNode each : list) {
        long nanos = stats == null ? 0 : stats.nanos();
        if (nanos > 0 && Patience.isTooMuch(nanos, stats.steps(), System.nanoTime() - began)) {
          String after = "%,d rows".formatted(index.size());
          write(line("refused").put("reason", Patience.reason(stats, after)));
          return;
        }
        Row row = row(pattern, each.path("row"));
        int number = index.size();
        index.put(row, number);
        if (!rows.row(each.path("key").asText(), each.path("time").asLong(), row)) {
          write(line("late").put("index", number));
        }
      }
      rows.end();
    }

    private static Row row(PatternModel pattern, JsonNode json) {
      Row row = Row.withPositions(pattern.fields().size());
      int place = 0;
      for (Map.Entry<String, Expr.Type> field : pattern.fields().entrySet()) {
        row.setField(place++, value(json.path(field.getKey()), field.getValue()));
      }
      return row;
    }

    /** Numbers that JSON does not have come as text: inf, -inf and nan. */
    @Nullable
    private static Object value(JsonNode json, Expr.Type type) {
      if (json.isTextual() && type == Expr.Type.NUMBER) {
        return switch (json.textValue()) {
          case "inf" -> Double.POSITIVE_INFINITY;
          case "-inf" -> Double.NEGATIVE_INFINITY;
          default -> Double.NaN;
        };
      }
      if (json.isTextual()) {
        return json.textValue();
      }
      if (json.isBoolean()) {
        return json.booleanValue();
      }
      return json.isNumber() ? json.doubleValue() : null;
    }

    @Override
    public void match(CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
      tell("match", pattern, rows, readyAt);
    }

    @Override
    public void timeout(CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
      tell("timeout", pattern, rows, readyAt);
    }

    @Override
    public void failed(CompiledPattern pattern, Exception cause) {
      write(line("refused").put("reason", "the automaton failed: " + cause));
    }

    private void tell(
        String type, CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
      ObjectNode line = line(type).put("ready_at", readyAt);
      ObjectNode steps = line.putObject("steps");
      for (PatternModel.Step step : pattern.model().steps()) {
        if (rows.containsKey(step.name())) {
          ArrayNode taken = steps.putArray(step.name());
          rows.get(step.name()).forEach(event -> taken.add(index.get(RowRun.rowOf(event))));
        }
      }
      write(line);
    }

    private ObjectNode line(String type) {
      return Json.mapper().createObjectNode().put("run", name).put("type", type);
    }

    private void write(ObjectNode line) {
      try {
        out.write(line);
      } catch (IOException e) {
        broken = e;
      }
    }
  }
}
