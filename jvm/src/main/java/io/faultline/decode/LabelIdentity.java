package io.faultline.decode;

import io.faultline.config.Attribute;
import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * Graph, node and peer of a series known by a name and a flat set of labels, and the labels that
 * remain to tell it from others. What named graph, node or peer is no label of the series any more,
 * unless it says more than the name does.
 */
final class LabelIdentity {
  private final IdentityConfig config;
  private final Defaults defaults;
  private final String defaultGraph;

  /** Where a format looks for a node that the configuration does not name. */
  @FunctionalInterface
  interface Defaults {
    /** The node's name, as sent; null = none. What is removed from {@code rest} is used up. */
    @Nullable
    String node(String metric, Map<String, String> labels, Map<String, String> rest);
  }

  /**
   * Who a series is.
   *
   * @param node null = it names none
   * @param labels in order of name; without graph, node and peer
   */
  record Identity(
      String graph, @Nullable String node, @Nullable String peer, Map<String, String> labels) {}

  LabelIdentity(String format, IdentityConfig config, Defaults defaults, String defaultGraph) {
    this.config = config;
    this.defaults = defaults;
    this.defaultGraph = defaultGraph;
    refuse(format, "graph", config.graph());
    refuseAll(format, "node", config.node());
    refuseAll(format, "peer", config.peer());
  }

  private static void refuseAll(String format, String key, @Nullable List<Attribute> places) {
    if (places != null) {
      places.forEach(place -> refuse(format, key, place));
    }
  }

  private static void refuse(String format, String key, @Nullable Attribute place) {
    if (place != null && place.attribute() != null) {
      throw new ConfigException(
          "identity." + key + ": " + format + " has no attributes: name a label or a tag");
    }
  }

  /** Works out one set of labels, which is left as it is. */
  Identity of(String metric, Map<String, String> labels) {
    Map<String, String> rest = new TreeMap<>(labels);
    String graph = graph(labels, rest);
    String node =
        Names.node(
            config.node() == null
                ? defaults.node(metric, labels, rest)
                : first(config.node(), labels, rest));
    String peer = config.peer() == null ? null : Names.node(first(config.peer(), labels, rest));
    return new Identity(graph, node, peer, rest);
  }

  /** The graph's name; a label that gave it is removed from {@code rest}. */
  String graph(Map<String, String> labels, Map<String, String> rest) {
    Attribute place = config.graph();
    if (place == null) {
      return defaultGraph;
    }
    String name = Names.graph(place.value() != null ? place.value() : labels.get(place.key()));
    if (name == null) {
      return defaultGraph;
    }
    if (place.value() == null) {
      rest.remove(place.key());
    }
    return name;
  }

  @Nullable
  private static String first(
      List<Attribute> places, Map<String, String> labels, Map<String, String> rest) {
    for (Attribute place : places) {
      if (place.value() != null) {
        return place.value();
      }
      String name = take(place.key(), labels, rest);
      if (name != null) {
        return name;
      }
    }
    return null;
  }

  /** The label's value, used up where it names a node; null where it is not there or blank. */
  @Nullable
  static String take(String label, Map<String, String> labels, Map<String, String> rest) {
    String name = labels.get(label);
    if (name == null || name.isBlank()) {
      return null;
    }
    if (Names.node(name) != null) {
      rest.remove(label);
    }
    return name;
  }
}
