package io.faultline.records;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * Identity of a series within its node, with what the record declared about it.
 *
 * @param metric metric name as sent
 * @param labels identifying labels in canonical form, see {@link #canonical(Map)}; "" for none
 * @param peer caller node if the series belongs to the edge peer -> node, else null
 * @param side which end measured it
 * @param kind gauge, counter or delta, as declared
 * @param signal declared signal, or null: a rule decides
 * @param unit declared UCUM unit, or null: a rule decides
 */
public record SeriesKey(
    String metric,
    String labels,
    @Nullable String peer,
    Side side,
    Kind kind,
    @Nullable Signal signal,
    @Nullable String unit) {

  private static final char PAIR = '\u001e';
  private static final char EQUALS = '\u001f';

  /** As a record's own, but made of hashes that strings remember. */
  @Override
  public int hashCode() {
    int names = 31 * metric.hashCode() + labels.hashCode();
    return peer == null ? names : 31 * names + peer.hashCode();
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof SeriesKey that
            && metric.equals(that.metric)
            && labels.equals(that.labels)
            && side == that.side
            && kind == that.kind
            && signal == that.signal
            && Objects.equals(peer, that.peer)
            && Objects.equals(unit, that.unit));
  }

  /** A series known by its metric name only. */
  public static SeriesKey of(String metric) {
    return new SeriesKey(metric, "", null, Side.UNSAID, Kind.UNSAID, null, null);
  }

  /** Labels sorted by name, joined with control characters that no label may contain. */
  public static String canonical(Map<String, String> labels) {
    if (labels.isEmpty()) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    for (Map.Entry<String, String> e : new TreeMap<>(labels).entrySet()) {
      if (out.length() > 0) {
        out.append(PAIR);
      }
      out.append(e.getKey()).append(EQUALS).append(e.getValue());
    }
    return out.toString();
  }

  /** The labels by name, in order of name. */
  public Map<String, String> labelMap() {
    Map<String, String> out = new LinkedHashMap<>();
    int at = 0;
    while (at < labels.length()) {
      int end = labels.indexOf(PAIR, at);
      end = end < 0 ? labels.length() : end;
      int eq = labels.indexOf(EQUALS, at);
      out.put(labels.substring(at, eq), labels.substring(eq + 1, end));
      at = end + 1;
    }
    return out;
  }

  /** A name with underscores for its dots: the same name, as Prometheus spells it. */
  public static String underscored(String name) {
    return name.replace('.', '_');
  }

  /**
   * The value of the first label whose name is this one once its dots are underscores, or null.
   *
   * @param name with underscores, see {@link #underscored}
   */
  @Nullable
  public String labelSpelledAs(String name) {
    int at = 0;
    while (at < labels.length()) {
      int end = labels.indexOf(PAIR, at);
      end = end < 0 ? labels.length() : end;
      int eq = labels.indexOf(EQUALS, at);
      if (eq - at == name.length() && spelled(name, at)) {
        return labels.substring(eq + 1, end);
      }
      at = end + 1;
    }
    return null;
  }

  private boolean spelled(String name, int at) {
    for (int i = 0; i < name.length(); i++) {
      char sent = labels.charAt(at + i);
      if (sent != name.charAt(i) && (sent != '.' || name.charAt(i) != '_')) {
        return false;
      }
    }
    return true;
  }

  /**
   * The labels in canonical form without those of these names, dots and underscores alike; the same
   * text where there are none.
   *
   * @param names with underscores, see {@link #underscored}
   */
  public String labelsWithout(Set<String> names) {
    StringBuilder left = null;
    int at = 0;
    while (at < labels.length()) {
      int end = labels.indexOf(PAIR, at);
      end = end < 0 ? labels.length() : end;
      boolean taken = names.contains(underscored(labels.substring(at, labels.indexOf(EQUALS, at))));
      if (taken && left == null) {
        left = new StringBuilder(labels.length()).append(labels, 0, Math.max(0, at - 1));
      } else if (!taken && left != null) {
        left.append(left.length() == 0 ? "" : PAIR).append(labels, at, end);
      }
      at = end + 1;
    }
    return left == null ? labels : left.toString();
  }

  /** The value of one label, or null where the series does not carry it. */
  @Nullable
  public String label(String name) {
    int at = 0;
    while (at < labels.length()) {
      int end = labels.indexOf(PAIR, at);
      end = end < 0 ? labels.length() : end;
      int eq = labels.indexOf(EQUALS, at);
      if (eq - at == name.length() && labels.startsWith(name, at)) {
        return labels.substring(eq + 1, end);
      }
      at = end + 1;
    }
    return null;
  }
}
