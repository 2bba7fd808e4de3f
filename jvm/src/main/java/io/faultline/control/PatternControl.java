package io.faultline.control;

import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternModel;
import io.faultline.cep.Refusal;
import io.faultline.config.LimitsConfig;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
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
  private final LimitsConfig limits;
  private final Counter suspensions;

  /** Versions that took too much of this subtask's time. */
  private final Set<String> suspended = new HashSet<>();

  private boolean announced;

  /**
   * @param state as restored, of {@link #STATE}
   * @param configured the patterns of the configuration, as JSON
   * @param operator its name in answers
   * @param hosts which patterns it runs
   * @param answersForOthers whether it answers where no host can be named
   * @param limits the share of a subtask's time that one pattern may take
   */
  public PatternControl(
      BroadcastState<String, String> state,
      Iterable<JsonNode> configured,
      RuntimeContext runtime,
      String operator,
      Predicate<PatternModel.Key> hosts,
      boolean answersForOthers,
      LimitsConfig limits)
      throws Exception {
    this.state = state;
    this.hosts = hosts;
    this.answersForOthers = answersForOthers;
    this.limits = limits;
    this.suspensions = runtime.getMetricGroup().counter("patterns_suspended");
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
    List<LivePattern> all = patterns.hosted(hosts);
    all.removeIf(each -> suspended.contains(each.model().versionedId()));
    return all;
  }

  /** A budget of the patterns' time that begins now. */
  TimeBudget budget() {
    return new TimeBudget(limits, System.nanoTime());
  }

  /**
   * These take too much time: they run no more in this subtask, until they are published again or
   * the task starts anew. Others go on as they were.
   */
  void suspend(List<TimeBudget.Overrun> over, Consumer<String> out) {
    for (TimeBudget.Overrun each : over) {
      suspended.add(each.id() + '@' + each.version());
      suspensions.inc();
      String request = patterns.request(each.id(), each.version());
      long now = System.currentTimeMillis();
      String line = audit.suspended(each, limits.patternTimeShare(), request, now);
      LOG.warn("event=pattern_suspended {}", line);
      out.accept(line);
    }
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
      suspended.remove(answer.id() + '@' + answer.version());
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
