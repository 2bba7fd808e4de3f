package io.faultline.control;

import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternModel;
import io.faultline.cep.Refusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.types.Row;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control topic as one subtask of an operator sees it: keeps {@link LivePatterns} in broadcast
 * state, tells the operator which patterns it is to run, and answers on the audit. Every subtask
 * follows all patterns; those answer that host the pattern, and those keyed by node where nobody
 * can be named.
 */
public final class PatternControl {
  /** Records that were taken and versions that drain, by place. */
  public static final MapStateDescriptor<String, String> STATE =
      new MapStateDescriptor<>("patterns", Types.STRING, Types.STRING);

  private static final Logger LOG = LoggerFactory.getLogger(PatternControl.class);

  private final BroadcastState<String, String> state;
  private final Predicate<PatternModel.Key> hosts;
  private final boolean answersForOthers;
  private final LivePatterns patterns;
  private final AuditJson audit;
  private final Map<String, String> written;
  private boolean announced;

  /**
   * @param state as restored, of {@link #STATE}
   * @param configured the patterns of the configuration, as JSON
   * @param operator its name in answers
   * @param hosts which patterns it runs
   * @param answersForOthers whether it answers where no host can be named
   */
  public PatternControl(
      BroadcastState<String, String> state,
      Iterable<JsonNode> configured,
      RuntimeContext runtime,
      String operator,
      Predicate<PatternModel.Key> hosts,
      boolean answersForOthers)
      throws Exception {
    this.state = state;
    this.hosts = hosts;
    this.answersForOthers = answersForOthers;
    Map<String, String> before = new TreeMap<>();
    state.entries().forEach(entry -> before.put(entry.getKey(), entry.getValue()));
    this.patterns = new LivePatterns(configured, before);
    this.written = new HashMap<>(patterns.stored());
    this.audit =
        new AuditJson(
            runtime.getJobInfo().getJobName(),
            operator,
            runtime.getTaskInfo().getIndexOfThisSubtask(),
            runtime.getTaskInfo().getNumberOfParallelSubtasks());
    for (Refusal refusal : patterns.refused()) {
      refusal.warn(LOG);
    }
  }

  /** What the operator is to run now. */
  public List<LivePattern> hosted() {
    return patterns.hosted(hosts);
  }

  /** Tells once after a start which patterns are live; to be called with each element. */
  public void announce(Consumer<String> out) {
    if (!announced) {
      announced = true;
      out.accept(audit.live(patterns.standing(), System.currentTimeMillis()));
    }
  }

  /** Takes a record of the control topic and answers; whether what is live may have changed. */
  public boolean apply(Row record, long watermark, Consumer<String> out) throws Exception {
    announce(out);
    if (ControlSource.isOfModels(record)) {
      return false;
    }
    String key = ControlSource.key(record);
    Answer answer = patterns.apply(key, ControlSource.value(record), watermark);
    if (answer.isRefused()) {
      new Refusal(answer.id(), answer.version(), answer.reason()).warn(LOG);
    }
    boolean taken = !answer.isRefused() && answer.state() != Answer.State.IGNORED;
    if (taken) {
      keep();
    }
    boolean own = answer.key() == null ? answersForOthers : hosts.test(answer.key());
    if (own && answer.state() != Answer.State.IGNORED) {
      out.accept(audit.answer(answer));
    }
    return taken;
  }

  /** Ends versions that have drained; whether there were any. To be called as time passes. */
  public boolean expire(long watermark) throws Exception {
    boolean ended = patterns.expire(watermark);
    if (ended) {
      keep();
    }
    return ended;
  }

  private void keep() throws Exception {
    Map<String, String> now = patterns.stored();
    for (String place : List.copyOf(written.keySet())) {
      if (!now.containsKey(place)) {
        state.remove(place);
        written.remove(place);
      }
    }
    for (Map.Entry<String, String> each : now.entrySet()) {
      if (!each.getValue().equals(written.put(each.getKey(), each.getValue()))) {
        state.put(each.getKey(), each.getValue());
      }
    }
  }
}
