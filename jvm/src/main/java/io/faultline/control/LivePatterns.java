package io.faultline.control;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.PatternRefusedException;
import io.faultline.cep.Refusal;
import io.faultline.cep.Share;
import io.faultline.config.ConfigException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Which patterns are live: those of the configuration, changed by what the control topic says. Of
 * both the higher version counts, of equal ones the control topic's. The same records in the same
 * order lead to the same patterns in every subtask, whether or not it hosts them. What must survive
 * a restart is {@link #stored}; nothing here knows of Flink's state.
 */
final class LivePatterns {
  static final int MOST_PATTERNS = 1_000;
  static final int MOST_DRAINING = 3;

  private final Map<String, Standing> configured = new LinkedHashMap<>();

  /** The last record of each pattern that was taken, and as it was sent. */
  private final Map<String, ControlRecord> records = new TreeMap<>();

  private final Map<String, String> stored = new TreeMap<>();
  private final Map<String, Standing> standing = new LinkedHashMap<>();

  /** By {@link Draining#place}, the oldest first. */
  private final Map<String, Draining> draining = new LinkedHashMap<>();

  private final List<Refusal> refused = new ArrayList<>();
  private long nextEnd = Long.MAX_VALUE;

  /**
   * @param patterns of the configuration, as JSON
   * @param before what {@link #stored} gave before a restart
   */
  LivePatterns(Iterable<JsonNode> patterns, Map<String, String> before) {
    Map<String, JsonNode> sources = new LinkedHashMap<>();
    patterns.forEach(json -> sources.putIfAbsent(json.path("id").asText(), json));
    for (PatternModel model : PatternReader.readAll(sources.values(), refused)) {
      configured.put(
          model.id(), new Standing(LivePattern.of(model), sources.get(model.id()), null));
    }
    standing.putAll(configured);
    before.forEach(this::restore);
    findNextEnd();
  }

  private void restore(String place, String text) {
    try {
      if (place.charAt(0) == Draining.MARK) {
        draining.put(place, Draining.read(text));
      } else {
        ControlRecord record = ControlRecord.read(place, text.getBytes(StandardCharsets.UTF_8));
        records.put(place, record);
        Standing own = configured.get(place);
        if (own == null || own.version() <= record.version()) {
          stand(place, record.isPublish() ? standing(record) : null);
        }
      }
      stored.put(place, text);
    } catch (PatternRefusedException | ConfigException e) {
      refused.add(new Refusal(place, 0, e.getMessage()));
    }
  }

  /** What must be kept for a restart: records and draining versions, by place. */
  Map<String, String> stored() {
    return stored;
  }

  /** What of the configuration, or of what was kept, could not be read. */
  List<Refusal> refused() {
    return refused;
  }

  List<Standing> standing() {
    return List.copyOf(standing.values());
  }

  /** Names the record that published this version; null where none did that is known. */
  @Nullable
  String request(String id, int version) {
    ControlRecord record = records.get(id);
    return record == null || record.version() != version ? null : record.request();
  }

  /** What an engine that hosts these keys is to run, the draining versions too. */
  List<LivePattern> hosted(Predicate<PatternModel.Key> keys) {
    List<LivePattern> all = new ArrayList<>();
    standing.values().forEach(each -> all.add(each.live()));
    draining.values().forEach(each -> all.add(each.live()));
    all.removeIf(each -> !keys.test(each.model().key()));
    return all;
  }

  /**
   * Takes a record of the control topic; a bad one changes nothing.
   *
   * @param value null = the record is taken back: what the configuration says counts again
   * @param watermark event time now, ms UTC; Long.MIN_VALUE = none yet
   */
  Answer apply(@Nullable String key, @Nullable byte[] value, long watermark) {
    ControlRecord record = null;
    try {
      if (value == null) {
        return forget(key == null ? "" : key, watermark);
      }
      record = ControlRecord.read(key, value);
      if (record == null) {
        return new Answer(Answer.State.IGNORED, null, "", 0, null, null);
      }
      return record.isPublish()
          ? publish(record, value, watermark)
          : retire(record, value, watermark);
    } catch (PatternRefusedException | ConfigException e) {
      return refusal(key, record, e.getMessage());
    } catch (RuntimeException | StackOverflowError e) {
      return refusal(key, record, "it cannot be compiled: " + e);
    }
  }

  private static Answer refusal(
      @Nullable String key, @Nullable ControlRecord record, String reason) {
    String id = key == null ? "" : key;
    int version = record == null ? 0 : record.version();
    return new Answer(Answer.State.REFUSED, null, id, version, reason, record);
  }

  private Answer publish(ControlRecord record, byte[] value, long watermark)
      throws PatternRefusedException {
    Standing next = standing(record);
    CompiledPattern.of(next.model(), true);
    Standing now = standing.get(record.id());
    checkVersion(record, next.model(), now);
    if (now == null && standing.size() >= MOST_PATTERNS) {
      throw new PatternRefusedException(MOST_PATTERNS + " patterns are live, no more are taken");
    }
    draining.remove(Draining.MARK + next.model().versionedId());
    if (now != null && now.version() != record.version()) {
      drain(now, record.drains(), watermark);
    }
    keep(record, value, next);
    return new Answer(
        Answer.State.LIVE, next.model().key(), record.id(), record.version(), null, record);
  }

  private Standing standing(ControlRecord record) throws PatternRefusedException {
    PatternModel model = PatternReader.read(record.pattern());
    if (!model.id().equals(record.id()) || model.version() != record.version()) {
      throw new PatternRefusedException(
          "the record is of "
              + record.id()
              + "@"
              + record.version()
              + ", its pattern "
              + model.versionedId());
    }
    if (model.key() == PatternModel.Key.ROW) {
      throw new PatternRefusedException("'key' is 'row': it is for CEP.pattern");
    }
    Share share = Share.of(record.share());
    LivePattern live = new LivePattern(model, record.dryRun(), share, false);
    return new Standing(live, record.pattern(), record);
  }

  /** A version is higher than all before it, or is what was there. */
  private void checkVersion(ControlRecord record, PatternModel model, @Nullable Standing now)
      throws PatternRefusedException {
    ControlRecord before = records.get(record.id());
    int reached = now != null ? now.version() : before != null ? before.version() : 0;
    if (record.version() < reached) {
      throw new PatternRefusedException(
          "version "
              + reached
              + (now != null ? " is live" : " was retired")
              + ": the version must be higher");
    }
    Draining old = draining.get(Draining.MARK + model.versionedId());
    PatternModel same = now != null && now.version() == model.version() ? now.model() : null;
    same = same == null && old != null ? old.model() : same;
    if (same != null && !same.equals(model)) {
      throw new PatternRefusedException(
          "version " + model.version() + " is live with other content: the version must be higher");
    }
  }

  private Answer retire(ControlRecord record, byte[] value, long watermark)
      throws PatternRefusedException {
    Standing now = standing.get(record.id());
    if (now != null && now.version() > record.version()) {
      throw new PatternRefusedException(
          "version " + now.version() + " is live, the record retires " + record.version());
    }
    if (now != null) {
      drain(now, record.drains(), watermark);
    }
    keep(record, value, null);
    PatternModel.Key key = now == null ? null : now.model().key();
    return new Answer(Answer.State.RETIRED, key, record.id(), record.version(), null, record);
  }

  private Answer forget(String id, long watermark) {
    Standing now = standing.get(id);
    Standing own = configured.get(id);
    if (now != null && (own == null || own.version() != now.version())) {
      drain(now, true, watermark);
    }
    records.remove(id);
    stored.remove(id);
    stand(id, own);
    keepDraining();
    Standing named = own != null ? own : now;
    return new Answer(
        own == null ? Answer.State.RETIRED : Answer.State.LIVE,
        named == null ? null : named.model().key(),
        id,
        named == null ? 0 : named.version(),
        null,
        null);
  }

  private void keep(ControlRecord record, byte[] value, @Nullable Standing next) {
    records.put(record.id(), record);
    stored.put(record.id(), new String(value, StandardCharsets.UTF_8));
    stand(record.id(), next);
    keepDraining();
  }

  private void keepDraining() {
    stored.keySet().removeIf(place -> place.charAt(0) == Draining.MARK);
    draining.forEach((place, each) -> stored.put(place, each.stored()));
    findNextEnd();
  }

  private void stand(String id, @Nullable Standing next) {
    if (next == null) {
      standing.remove(id);
    } else {
      standing.put(id, next);
    }
  }

  private void drain(Standing old, boolean drains, long watermark) {
    String id = old.model().id();
    if (!drains) {
      draining.values().removeIf(each -> each.model().id().equals(id));
      return;
    }
    Draining next = Draining.of(old, watermark);
    draining.put(next.place(), next);
    List<Draining> all =
        draining.values().stream().filter(each -> each.model().id().equals(id)).toList();
    all.stream()
        .limit(Math.max(0, all.size() - MOST_DRAINING))
        .forEach(each -> draining.remove(each.place()));
  }

  /** Ends versions that have drained; whether there were any. Cheap where there are none. */
  boolean expire(long watermark) {
    if (watermark < nextEnd || watermark == Long.MIN_VALUE) {
      return false;
    }
    boolean ended = draining.values().removeIf(each -> each.from(watermark).until() <= watermark);
    draining.replaceAll((place, each) -> each.from(watermark));
    keepDraining();
    return ended;
  }

  private void findNextEnd() {
    nextEnd = draining.values().stream().mapToLong(Draining::until).min().orElse(Long.MAX_VALUE);
  }
}
