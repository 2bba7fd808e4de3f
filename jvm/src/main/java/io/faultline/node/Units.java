package io.faultline.node;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Factors from units to the base units of frames: s, By, 1 and their rates per second. Units are
 * UCUM's, or the words in which Prometheus and CloudWatch spell them; what neither knows counts as
 * it is.
 */
public final class Units {
  private static final Map<String, Double> WORDS = words();

  private Units() {}

  /** What a value in this unit is multiplied with to be in the base unit; 1 where not known. */
  public static double factor(@Nullable String unit) {
    double factor = known(unit);
    return Double.isNaN(factor) ? 1.0 : factor;
  }

  /** Whether the unit is declared and not known, so that its values count as they are. */
  static boolean unknown(@Nullable String unit) {
    return unit != null && Double.isNaN(known(unit));
  }

  private static double known(@Nullable String unit) {
    if (unit == null || unit.isEmpty()) {
      return 1.0;
    }
    double factor = Ucum.factor(unit.replace('\u00b5', 'u').replace('\u03bc', 'u'));
    boolean usable = factor > 0 && Double.isFinite(factor);
    return usable ? factor : worded(unit.toLowerCase(Locale.ROOT));
  }

  private static double worded(String unit) {
    int slash = unit.indexOf('/');
    if (slash < 0) {
      return WORDS.getOrDefault(unit, Double.NaN);
    }
    String per = unit.substring(slash + 1);
    double below = per.equals("s") ? 1.0 : WORDS.getOrDefault(per, Double.NaN);
    return WORDS.getOrDefault(unit.substring(0, slash), Double.NaN) / below;
  }

  private static Map<String, Double> words() {
    Map<String, Double> words = new HashMap<>();
    put(words, 1e-9, "nanosecond");
    put(words, 1e-6, "microsecond");
    put(words, 1e-3, "millisecond");
    put(words, 1.0, "second");
    put(words, 60.0, "minute");
    put(words, 3600.0, "hour");
    put(words, 86_400.0, "day");
    put(words, 1.0, "byte");
    put(words, 0.125, "bit");
    double decimal = 1.0;
    double binary = 1.0;
    for (String[] prefix :
        new String[][] {{"kilo", "kibi"}, {"mega", "mebi"}, {"giga", "gibi"}, {"tera", "tebi"}}) {
      decimal *= 1000.0;
      binary *= 1024.0;
      put(words, decimal, prefix[0] + "byte");
      put(words, binary, prefix[1] + "byte");
      put(words, decimal / 8, prefix[0] + "bit");
    }
    words.put("percent", 0.01);
    words.put("ratio", 1.0);
    words.put("count", 1.0);
    words.put("none", 1.0);
    return words;
  }

  private static void put(Map<String, Double> words, double factor, String word) {
    words.put(word, factor);
    words.put(word + "s", factor);
  }

  /** The unit of the rate of a counter: a counter of seconds has rate 1, one of bytes By/s. */
  @Nullable
  static String perSecond(@Nullable String unit) {
    if (unit == null || unit.endsWith("/s")) {
      return unit;
    }
    return switch (unit) {
      case "s" -> "1";
      case "" -> "1/s";
      default ->
          unit.startsWith("{") && unit.indexOf('}') == unit.length() - 1 ? "1/s" : unit + "/s";
    };
  }
}
