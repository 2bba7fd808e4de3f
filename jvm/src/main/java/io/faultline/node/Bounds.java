package io.faultline.node;

import io.faultline.records.SeriesKey;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/** Upper bounds of buckets, as label {@code le} has them. */
final class Bounds {
  private static final String LABEL = "le";
  private static final Set<String> INFINITE = Set.of("inf", "+inf", "infinity", "+infinity");

  private Bounds() {}

  /** The upper bound of a bucket; NaN where the label is none. */
  static double of(SeriesKey bucket) {
    return parse(bucket.label(LABEL));
  }

  /** The labels of all buckets of one histogram: without the bound. */
  static String without(SeriesKey bucket) {
    Map<String, String> labels = bucket.labelMap();
    labels.remove(LABEL);
    return SeriesKey.canonical(labels);
  }

  /** The key with its bound in the one spelling that all spellings of the number share. */
  static SeriesKey canonical(SeriesKey bucket) {
    String sent = bucket.label(LABEL);
    String text = text(parse(sent));
    if (text == null || text.equals(sent)) {
      return bucket;
    }
    Map<String, String> labels = bucket.labelMap();
    labels.put(LABEL, text);
    return new SeriesKey(
        bucket.metric(),
        SeriesKey.canonical(labels),
        bucket.peer(),
        bucket.side(),
        bucket.kind(),
        bucket.signal(),
        bucket.unit());
  }

  private static double parse(@Nullable String bound) {
    if (bound == null) {
      return Double.NaN;
    }
    String text = bound.strip();
    if (INFINITE.contains(text.toLowerCase(Locale.ROOT))) {
      return Double.POSITIVE_INFINITY;
    }
    try {
      double value = Double.parseDouble(text);
      return Double.isInfinite(value) && value < 0 ? Double.NaN : value;
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  @Nullable
  private static String text(double bound) {
    if (Double.isNaN(bound)) {
      return null;
    }
    if (Double.isInfinite(bound)) {
      return "+Inf";
    }
    String text = Double.toString(bound + 0.0);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
