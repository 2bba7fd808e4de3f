package io.faultline.rows;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Event;
import io.faultline.cep.MatchOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.types.Row;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends matches on, at the event time that decided them; not before the engine is done, so that
 * what fails downstream is not taken for a failure of the pattern.
 */
final class RowOutput implements MatchOutput {
  private static final Logger LOG = LoggerFactory.getLogger(RowOutput.class);

  private final Output<StreamRecord<Row>> output;
  private final MatchShape matches;
  @Nullable private final OutputTag<Row> timeoutTag;
  private final MatchShape timeouts;
  private final Counter failures;
  private final List<Told> told = new ArrayList<>();

  private record Told(@Nullable OutputTag<Row> tag, StreamRecord<Row> row) {}

  RowOutput(
      Output<StreamRecord<Row>> output,
      MatchShape matches,
      @Nullable OutputTag<Row> timeoutTag,
      MatchShape timeouts,
      MetricGroup metrics) {
    this.output = output;
    this.matches = matches;
    this.timeoutTag = timeoutTag;
    this.timeouts = timeouts;
    this.failures = metrics.counter("pattern_failures");
  }

  @Override
  public void match(CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
    told.add(new Told(null, new StreamRecord<>(matches.row(rows), readyAt)));
  }

  @Override
  public void timeout(CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
    if (timeoutTag != null) {
      told.add(new Told(timeoutTag, new StreamRecord<>(timeouts.row(rows), readyAt)));
    }
  }

  /** To be called after each call of the engine. */
  void send() {
    for (Told each : told) {
      if (each.tag() == null) {
        output.collect(each.row());
      } else {
        output.collect(each.tag(), each.row());
      }
    }
    told.clear();
  }

  @Override
  public void failed(CompiledPattern pattern, Exception cause) {
    failures.inc();
    LOG.warn("event=pattern_failed pattern={}", pattern.model().versionedId(), cause);
  }
}
