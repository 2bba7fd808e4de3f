package io.faultline.control;

import io.faultline.cep.Share;
import io.faultline.config.ConfigException;
import io.faultline.config.Json;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * A record of the control topic, version 1, as JSON with these names in snake case.
 *
 * @param v version of the record's form
 * @param kind what is controlled: pattern
 * @param id of the pattern; the key of the Kafka record
 * @param version of the pattern
 * @param inFlight what becomes of the partial matches of the version that this one replaces
 * @param dryRun whether matches are marked, and open no incident
 * @param share the part of all graphs that the pattern applies to, see {@link Share}
 * @param pattern the compiled pattern, to be published; null where it is retired
 * @param time when it was sent, ms UTC
 * @param request names the record in answers
 */
record ControlRecord(
    int v,
    String kind,
    String action,
    String id,
    int version,
    @Nullable String inFlight,
    @Nullable Boolean dryRun,
    @Nullable Double share,
    @Nullable JsonNode pattern,
    @Nullable Long time,
    @Nullable String request) {

  static final int LARGEST = 256 * 1024;
  static final String KIND = "pattern";
  static final String PUBLISH = "publish";
  static final String RETIRE = "retire";
  static final String DRAIN = "drain";
  static final String DROP = "drop";

  private static final int FORM = 1;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  ControlRecord {
    check(v == FORM, "v: the record is of form " + v + ", this job reads " + FORM);
    check(id != null && ID.matcher(id).matches(), "id: a pattern has no such id: " + id);
    check(version >= 1, "version: at least 1 is wanted, found " + version);
    boolean publish = PUBLISH.equals(action);
    check(publish || RETIRE.equals(action), "action: publish or retire is wanted, found " + action);
    boolean said = pattern != null && pattern.isObject();
    check(
        publish == said, publish ? "pattern: is missing" : "pattern: a pattern that goes has none");
    inFlight = inFlight == null ? DRAIN : inFlight;
    check(
        inFlight.equals(DRAIN) || inFlight.equals(DROP),
        "in_flight: drain or drop is wanted, found " + inFlight);
    dryRun = dryRun != null && dryRun;
    share = share == null ? Double.valueOf(1) : share;
    check(share > 0 && share <= 1, "share: above 0 and at most 1 is wanted, found " + share);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new ConfigException(otherwise);
    }
  }

  /**
   * Reads the value of a record of the control topic.
   *
   * @return null where it controls something else than patterns
   * @throws ConfigException saying what is wrong
   */
  @Nullable
  static ControlRecord read(@Nullable String key, byte[] value) {
    check(
        value.length <= LARGEST,
        "the record has " + value.length + " bytes, more than " + LARGEST + " are not taken");
    String text = new String(value, StandardCharsets.UTF_8);
    JsonNode kind = Json.read(text, JsonNode.class, "record").path("kind");
    if (kind.isTextual() && !kind.textValue().equals(KIND)) {
      return null;
    }
    ControlRecord record = Json.read(text, ControlRecord.class, "record");
    check(record.id().equals(key), "id: it is " + record.id() + ", and the record's key is " + key);
    return record;
  }

  boolean isPublish() {
    return action.equals(PUBLISH);
  }

  boolean drains() {
    return inFlight.equals(DRAIN);
  }
}
