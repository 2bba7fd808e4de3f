package io.faultline.sink;

import java.util.regex.Pattern;

/** The topics that the job writes, and the files that stand for them. */
public final class Topics {
  public static final String DEAD_LETTERS = "faultline.dead-letters.v1";
  public static final String AUDIT = "faultline.audit.v1";
  public static final String FRAMES = "faultline.frames.v1";

  private static final String OURS = "faultline.";
  private static final Pattern VERSION = Pattern.compile("\\.v\\d+$");
  private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

  private Topics() {}

  /** Name without the prefix and version: {@code faultline.incidents.v1} is {@code incidents}. */
  static String shortName(String topic) {
    String name = VERSION.matcher(topic).replaceFirst("");
    name = name.startsWith(OURS) ? name.substring(OURS.length()) : name;
    return UNSAFE.matcher(name).replaceAll("_");
  }

  static boolean isDeadLetters(String topic) {
    return shortName(topic).equals(shortName(DEAD_LETTERS));
  }

  static boolean isFrames(String topic) {
    return shortName(topic).equals(shortName(FRAMES));
  }
}
