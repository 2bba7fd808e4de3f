package io.faultline.control;

import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.PatternRefusedException;
import io.faultline.cep.Share;
import io.faultline.config.Json;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A version that ends its partial matches and begins none. It goes when event time has passed the
 * longest that one of them can take, or a day where the pattern does not say.
 *
 * @param source the pattern as JSON
 * @param until event time at which it goes, ms UTC; {@link #UNKNOWN} while there was none
 */
record Draining(LivePattern live, JsonNode source, long until) {
  static final long UNKNOWN = Long.MIN_VALUE;
  static final char MARK = '~';

  private static final int FORM = 1;
  private static final long DAY_MS = 24 * 3_600_000L;

  static Draining of(Standing standing, long watermark) {
    return new Draining(standing.live().drained(), standing.source(), UNKNOWN).from(watermark);
  }

  /** The same, with an end where event time is known by now. */
  Draining from(long watermark) {
    if (until != UNKNOWN || watermark == Long.MIN_VALUE) {
      return this;
    }
    long window = live.model().withinMs() > 0 ? live.model().withinMs() : DAY_MS;
    return new Draining(live, source, end(watermark, window));
  }

  private static long end(long watermark, long window) {
    return watermark > Long.MAX_VALUE - window ? Long.MAX_VALUE : watermark + window;
  }

  PatternModel model() {
    return live.model();
  }

  /** Under which it is stored: no pattern has such an id. */
  String place() {
    return MARK + model().versionedId();
  }

  String stored() {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("v", FORM).put("until", until).put("dry_run", live.dryRun());
    json.put("share", live.share().part()).set("pattern", source);
    return json.toString();
  }

  /** Takes back what {@link #stored} wrote. */
  static Draining read(String stored) throws PatternRefusedException {
    JsonNode json = Json.read(stored, JsonNode.class, "draining pattern");
    if (json.path("v").asInt() != FORM) {
      throw new PatternRefusedException("it is stored in form " + json.path("v"));
    }
    PatternModel model = PatternReader.read(json.path("pattern"));
    LivePattern live =
        new LivePattern(
            model,
            json.path("dry_run").asBoolean(),
            Share.of(json.path("share").asDouble(1)),
            true);
    return new Draining(live, json.path("pattern"), json.path("until").asLong());
  }
}
