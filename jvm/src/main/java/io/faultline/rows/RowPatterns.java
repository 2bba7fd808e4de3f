package io.faultline.rows;

import io.faultline.cep.PatternModel;
import io.faultline.config.ConfigException;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.types.Row;
import org.apache.flink.util.OutputTag;

/** What Python calls: a pattern on a keyed stream of PyFlink. */
public final class RowPatterns {
  private static final String TIMEOUTS = "timeouts";
  private static final String LATE = "late-rows";

  private final RowOperator operator;
  private final PatternModel model;
  private final RowTypeInfo type;
  private final SingleOutputStreamOperator<Row> matches;

  private RowPatterns(
      RowOperator operator,
      PatternModel model,
      RowTypeInfo type,
      SingleOutputStreamOperator<Row> matches) {
    this.operator = operator;
    this.model = model;
    this.type = type;
    this.matches = matches;
  }

  /** The rows' fields with what they are to a condition: number, text, truth, or another type. */
  public static Map<String, String> fields(KeyedStream<Row, Row> keyed) {
    return RowFields.kinds(rowType(keyed));
  }

  /**
   * Lets a pattern watch the rows of each key.
   *
   * @param keyed rows of (key, row), as PyFlink's key_by makes them
   * @param json see {@link RowSpec}
   * @throws ConfigException where the pattern cannot run
   */
  public static RowPatterns attach(KeyedStream<Row, Row> keyed, String json) {
    RowSpec spec = RowSpec.read(json);
    PatternModel model = spec.model();
    RowTypeInfo type = rowType(keyed);
    TypeSerializer<Row> rows =
        type.createSerializer(keyed.getExecutionConfig().getSerializerConfig());
    RowOperator operator = new RowOperator(spec, type, rows);
    SingleOutputStreamOperator<Row> matches =
        keyed.transform(
            "pattern " + model.id(), MatchShape.of(model, type, spec.columns()).type(), operator);
    if (spec.uid() != null) {
      matches.uid(spec.uid());
    }
    return new RowPatterns(operator, model, type, matches);
  }

  private static RowTypeInfo rowType(KeyedStream<Row, Row> keyed) {
    if (keyed.getType() instanceof RowTypeInfo pair && pair.getArity() == 2) {
      TypeInformation<?> type = pair.getTypeAt(1);
      if (type instanceof RowTypeInfo row) {
        return row;
      }
      throw new ConfigException("the stream's elements are " + type + ", not typed rows");
    }
    throw new ConfigException("not a keyed stream of PyFlink: " + keyed.getType());
  }

  /** Matches, in the shape that was asked for. */
  public DataStream<Row> matches() {
    return matches;
  }

  /**
   * Partial matches that ran out of time; to be called before the job begins, at most once.
   *
   * @param columns see {@link MatchShape}; null = whole rows by step
   */
  public DataStream<Row> timeouts(@Nullable String columns) {
    OutputTag<Row> tag = new OutputTag<>(TIMEOUTS, MatchShape.of(model, type, columns).type());
    operator.tellTimeouts(tag, columns);
    return matches.getSideOutput(tag);
  }

  /** Rows that came behind the watermark, as they came; to be called before the job begins. */
  public DataStream<Row> late() {
    OutputTag<Row> tag = new OutputTag<>(LATE, type);
    operator.tellLate(tag);
    return matches.getSideOutput(tag);
  }
}
