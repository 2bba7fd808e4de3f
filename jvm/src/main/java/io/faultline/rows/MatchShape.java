package io.faultline.rows;

import io.faultline.cep.Event;
import io.faultline.cep.MatchColumn;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternRefusedException;
import io.faultline.cep.RowEvent;
import io.faultline.config.ConfigException;
import io.faultline.config.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ObjectArrayTypeInfo;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.types.Row;

/** How a match becomes a row: columns that are asked for, or the rows of each step as an array. */
final class MatchShape {
  private final RowTypeInfo type;
  private final List<Function<Map<String, List<Event>>, Object>> fields;

  private MatchShape(RowTypeInfo type, List<Function<Map<String, List<Event>>, Object>> fields) {
    this.type = type;
    this.fields = fields;
  }

  /**
   * @param columns JSON list of {"name", "value"}, the value as the tree of an expression; null =
   *     the rows of each step, in the order of the steps; null for one that took none
   * @param rows the type of the rows that the pattern looks at
   */
  static MatchShape of(PatternModel pattern, RowTypeInfo rows, @Nullable String columns) {
    return columns == null ? whole(pattern, rows) : ofColumns(pattern, rows, columns);
  }

  private static MatchShape whole(PatternModel pattern, RowTypeInfo rows) {
    List<String> steps = pattern.steps().stream().map(PatternModel.Step::name).toList();
    TypeInformation<?>[] types = new TypeInformation<?>[steps.size()];
    List<Function<Map<String, List<Event>>, Object>> fields = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      types[i] = ObjectArrayTypeInfo.getInfoFor(rows);
      String step = steps.get(i);
      fields.add(match -> taken(match.get(step)));
    }
    return new MatchShape(new RowTypeInfo(types), List.copyOf(fields));
  }

  @Nullable
  private static Row[] taken(@Nullable List<Event> events) {
    return events == null
        ? null
        : events.stream().map(event -> ((RowEvent) event).row()).toArray(Row[]::new);
  }

  private static MatchShape ofColumns(PatternModel pattern, RowTypeInfo rows, String columns) {
    JsonNode list = Json.read(columns, JsonNode.class, "columns");
    String[] names = new String[list.size()];
    TypeInformation<?>[] types = new TypeInformation<?>[list.size()];
    List<Function<Map<String, List<Event>>, Object>> fields = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      names[i] = list.get(i).path("name").asText();
      try {
        MatchColumn column = MatchColumn.read(list.get(i).get("value"), pattern, rows::getTypeAt);
        types[i] = column.type();
        fields.add(column::of);
      } catch (PatternRefusedException e) {
        throw new ConfigException("column " + names[i] + ": " + e.getMessage());
      }
    }
    return new MatchShape(new RowTypeInfo(types, names), List.copyOf(fields));
  }

  RowTypeInfo type() {
    return type;
  }

  /**
   * @param match rows by step
   */
  Row row(Map<String, List<Event>> match) {
    Row row = Row.withPositions(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      row.setField(i, fields.get(i).apply(match));
    }
    return row;
  }
}
