package io.faultline.control;

import io.faultline.config.Json;
import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a subtask tells the audit of its patterns, version 1, as one JSON object a line.
 *
 * @param job name of the job
 * @param operator node or correlate
 * @param subtask from 0
 * @param subtasks of the operator
 */
record AuditJson(String job, String operator, int subtask, int subtasks) {
  private static final int FORM = 1;

  private ObjectNode line(String type) {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("type", type).put("v", FORM).put("job", job).put("operator", operator);
    return json.put("subtask", subtask).put("subtasks", subtasks);
  }

  /** The answer to one record. */
  String answer(Answer answer) {
    ControlRecord record = answer.record();
    ObjectNode json = line("pattern_ack");
    json.put("state", answer.state().name().toLowerCase(Locale.ROOT));
    json.put("pattern", answer.id()).put("version", answer.version());
    json.put("dry_run", record != null && record.dryRun());
    json.put("share", record == null ? 1.0 : record.share());
    json.put("reason", answer.reason());
    json.put("request", record == null ? null : record.request());
    json.put("time", record == null ? null : record.time());
    return json.toString();
  }

  /**
   * A pattern took too much of this subtask's time and runs here no more.
   *
   * @param allowed the share that it may take
   * @param request names the record that published it; null where the configuration did
   * @param now ms UTC
   */
  String suspended(TimeBudget.Overrun over, double allowed, @Nullable String request, long now) {
    ObjectNode json = line("pattern_suspended");
    json.put("pattern", over.id()).put("version", over.version());
    json.put("share", rounded(over.share())).put("allowed", allowed);
    json.put("window_ms", over.windowMs()).put("request", request);
    return json.put("time", now).toString();
  }

  private static double rounded(double share) {
    return Math.round(share * 1_000) / 1_000.0;
  }

  /**
   * All patterns that are live, hosted here or not.
   *
   * @param now ms UTC
   */
  String live(List<Standing> standing, long now) {
    ObjectNode json = line("patterns_live").put("time", now);
    ArrayNode patterns = json.putArray("patterns");
    for (Standing each : standing) {
      ControlRecord record = each.record();
      ObjectNode one = patterns.addObject();
      one.put("pattern", each.model().id()).put("version", each.version());
      one.put("dry_run", each.live().dryRun()).put("share", each.live().share().part());
      one.put("from", record == null ? "configuration" : "control");
      one.put("since", since(record));
    }
    return json.toString();
  }

  @Nullable
  private static Long since(@Nullable ControlRecord record) {
    return record == null ? null : record.time();
  }
}
