package io.faultline.control;

import io.faultline.config.Json;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Records of the control topic for tests: the pattern "p", a sample above a limit, then one below.
 */
public final class Records {
  public static final long WITHIN_MS = 60_000;

  private Records() {}

  public static JsonNode json(String text) {
    return Json.read(text, JsonNode.class, "test");
  }

  /** Any sample above the limit, then the next not above it. */
  public static String pattern(int version, double limit) {
    return """
    {"id":"p","version":%d,"key":"node","severity":"critical","within_ms":%d,"steps":[
     {"name":"up","times":null,"where":%s},
     {"name":"down","where":%s}]}\
    """
        .formatted(version, WITHIN_MS, compared(">", limit), compared("<=", limit));
  }

  private static String compared(String op, double limit) {
    return "{\"op\":\"%s\",\"left\":{\"field\":\"value\"},\"right\":{\"const\":%s}}"
        .formatted(op, limit);
  }

  public static String publish(int version, double limit) {
    return publish(pattern(version, limit));
  }

  public static String publish(String pattern) {
    JsonNode json = json(pattern);
    return """
    {"v":1,"kind":"pattern","action":"publish","id":"%s","version":%d,"in_flight":"drain",\
    "dry_run":false,"share":1.0,"pattern":%s,"time":1767225600000,"request":"r1"}\
    """
        .formatted(json.path("id").asText(), json.path("version").asInt(), pattern);
  }

  public static String retire(int version) {
    return """
    {"v":1,"kind":"pattern","action":"retire","id":"p","version":%d,"in_flight":"drain",\
    "time":1767225600000,"request":"r2"}\
    """
        .formatted(version);
  }
}
