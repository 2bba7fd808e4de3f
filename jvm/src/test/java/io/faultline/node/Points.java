package io.faultline.node;

import static io.faultline.node.Given.T0;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Feeds a counter with points in short notation; written and read again after each point. */
final class Points {
  final Map<String, Integer> counts = new TreeMap<>();

  private final Tally tally = reason -> counts.merge(reason, 1, Integer::sum);
  private final Reading reading = new Reading();

  /**
   * The rates of cumulative points.
   *
   * @param points such as {@code 10:120@-60}: at 10 s the value 120, started 60 s before; a start
   *     may be left out
   * @return such as {@code 10=2}, for points with a rate
   */
  String cumulative(String points) throws IOException {
    return rates(points, false);
  }

  /** The rates of delta points, in the same notation. */
  String delta(String points) throws IOException {
    return rates(points, true);
  }

  private String rates(String points, boolean delta) throws IOException {
    List<String> rates = new ArrayList<>();
    Counter counter = new Counter();
    for (String point : points.strip().split("\\s+")) {
      String[] parts = point.split("[:@]");
      long start = parts.length == 3 ? millis(parts[2]) : 0;
      double value = Double.parseDouble(parts[1]);
      Reading at = reading.set(millis(parts[0]), value, start, Role.PLAIN, tally);
      counter = restored(counter.copy());
      if (delta) {
        Delta.read(counter, at);
      } else {
        Cumulative.read(counter, at);
      }
      if (!Double.isNaN(at.rate)) {
        rates.add(parts[0] + "=" + number(at.rate));
      }
    }
    return String.join(" ", rates);
  }

  private static long millis(String seconds) {
    return Math.round(T0 + 1000 * Double.parseDouble(seconds));
  }

  private static String number(double rate) {
    String text = Double.toString(Math.round(rate * 1e4) / 1e4);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  static Counter restored(Counter counter) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    counter.write(out);
    return Counter.read(new DataInputDeserializer(out.getCopyOfBuffer()), 2);
  }
}
