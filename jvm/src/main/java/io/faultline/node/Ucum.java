package io.faultline.node;

import java.util.HashMap;
import java.util.Map;

/**
 * The part of the Unified Code for Units of Measure that monitoring uses: prefixed atoms, integers,
 * annotations in braces, exponents, {@code .} and {@code /} from left to right. Case counts.
 */
final class Ucum {
  private static final Map<String, Double> PREFIXES = prefixes();

  /** Atoms that take prefixes. Of what frames have no base unit for, the atom itself is 1. */
  private static final Map<String, Double> PREFIXED =
      Map.ofEntries(
          Map.entry("s", 1.0),
          Map.entry("By", 1.0),
          Map.entry("bit", 0.125),
          Map.entry("Hz", 1.0),
          Map.entry("m", 1.0),
          Map.entry("g", 1.0),
          Map.entry("K", 1.0),
          Map.entry("Cel", 1.0),
          Map.entry("J", 1.0),
          Map.entry("W", 1.0),
          Map.entry("V", 1.0),
          Map.entry("A", 1.0),
          // Kubernetes counts cores and thousandths of them.
          Map.entry("cpu", 1.0));

  private static final Map<String, Double> PLAIN =
      Map.of(
          "%", 0.01,
          "min", 60.0,
          "h", 3600.0,
          "d", 86_400.0,
          "wk", 604_800.0,
          "[ppth]", 1e-3,
          "[ppm]", 1e-6,
          "[ppb]", 1e-9);

  private final String text;
  private int at;

  private Ucum(String text) {
    this.text = text;
  }

  /** The factor to the base unit; NaN where the text is no such unit. */
  static double factor(String unit) {
    Ucum parser = new Ucum(unit);
    return unit.isEmpty() ? Double.NaN : parser.product();
  }

  private double product() {
    boolean over = text.charAt(0) == '/';
    at = over ? 1 : 0;
    double product = 1.0;
    while (true) {
      double component = component();
      product = over ? product / component : product * component;
      if (at == text.length() || Double.isNaN(product)) {
        return product;
      }
      char operator = text.charAt(at++);
      over = operator == '/';
      if (!over && operator != '.') {
        return Double.NaN;
      }
    }
  }

  /** A symbol, an annotation, or both. */
  private double component() {
    int start = at;
    while (at < text.length() && "./{".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String symbol = text.substring(start, at);
    String annotation = annotation();
    if (annotation == null || (symbol.isEmpty() && annotation.isEmpty())) {
      return Double.NaN;
    }
    // Not UCUM, where m is the metre, yet common for thousandths of a core.
    return annotation.equals("{cpu}") && PREFIXES.containsKey(symbol)
        ? PREFIXES.get(symbol)
        : symbol(symbol);
  }

  /** The annotation here; empty where there is none, null where it does not end. */
  private String annotation() {
    if (at == text.length() || text.charAt(at) != '{') {
      return "";
    }
    int end = text.indexOf('}', at);
    String annotation = end < 0 ? null : text.substring(at, end + 1);
    at = end < 0 ? text.length() : end + 1;
    return annotation;
  }

  private static double symbol(String symbol) {
    if (symbol.isEmpty()) {
      return 1.0;
    }
    int exponentAt = symbol.length();
    while (exponentAt > 0 && Character.isDigit(symbol.charAt(exponentAt - 1))) {
      exponentAt--;
    }
    if (exponentAt == 0) {
      return number(symbol);
    }
    int sign = "+-".indexOf(symbol.charAt(exponentAt - 1));
    int end = sign < 0 || exponentAt == symbol.length() ? exponentAt : exponentAt - 1;
    double atom = atom(symbol.substring(0, end));
    return end == symbol.length() ? atom : Math.pow(atom, number(symbol.substring(end)));
  }

  private static double number(String digits) {
    return digits.length() > 9 ? Double.NaN : Integer.parseInt(digits);
  }

  private static double atom(String atom) {
    if (atom.equals("10*") || atom.equals("10^")) {
      return 10.0;
    }
    Double known = PLAIN.getOrDefault(atom, PREFIXED.get(atom));
    for (int length = 1; known == null && length <= 2 && length < atom.length(); length++) {
      Double prefix = PREFIXES.get(atom.substring(0, length));
      Double rest = PREFIXED.get(atom.substring(length));
      known = prefix == null || rest == null ? null : prefix * rest;
    }
    return known == null ? Double.NaN : known;
  }

  private static Map<String, Double> prefixes() {
    Map<String, Double> prefixes = new HashMap<>();
    String[] small = {"m", "u", "n", "p", "f"};
    String[] large = {"k", "M", "G", "T", "P", "E"};
    String[] binary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    for (int i = 0; i < small.length; i++) {
      prefixes.put(small[i], Math.pow(1000, -i - 1.0));
    }
    for (int i = 0; i < large.length; i++) {
      prefixes.put(large[i], Math.pow(1000, i + 1.0));
      prefixes.put(binary[i], Math.pow(1024, i + 1.0));
    }
    prefixes.put("c", 1e-2);
    prefixes.put("d", 1e-1);
    prefixes.put("da", 1e1);
    prefixes.put("h", 1e2);
    return prefixes;
  }
}
