package io.faultline.node;

import java.util.Map;
import javax.annotation.Nullable;

/** Factors from UCUM units to the base units of frames: s, By, 1 and their rates per second. */
public final class Units {
  private static final Map<String, Double> FACTORS =
      Map.ofEntries(
          Map.entry("ns", 1e-9),
          Map.entry("us", 1e-6),
          Map.entry("ms", 1e-3),
          Map.entry("s", 1.0),
          Map.entry("min", 60.0),
          Map.entry("h", 3600.0),
          Map.entry("By", 1.0),
          Map.entry("kBy", 1e3),
          Map.entry("MBy", 1e6),
          Map.entry("GBy", 1e9),
          Map.entry("KiBy", 1024.0),
          Map.entry("MiBy", 1048576.0),
          Map.entry("GiBy", 1073741824.0),
          Map.entry("%", 0.01),
          Map.entry("m{cpu}", 1e-3),
          Map.entry("mcpu", 1e-3),
          Map.entry("1", 1.0));

  private Units() {}

  /** What a value in this unit is multiplied with to be in the base unit; 1 where not known. */
  public static double factor(@Nullable String unit) {
    if (unit == null) {
      return 1.0;
    }
    Double known = FACTORS.get(unit);
    if (known != null) {
      return known;
    }
    int slash = unit.lastIndexOf('/');
    if (slash <= 0) {
      return 1.0;
    }
    double per = factor(unit.substring(slash + 1));
    return isTime(unit.substring(slash + 1)) ? factor(unit.substring(0, slash)) / per : 1.0;
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
      default -> unit.startsWith("{") ? "1/s" : unit + "/s";
    };
  }

  private static boolean isTime(String unit) {
    return switch (unit) {
      case "ns", "us", "ms", "s", "min", "h" -> true;
      default -> false;
    };
  }
}
