package io.faultline.decode;

import io.faultline.config.Attribute;
import io.faultline.config.IdentityConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * Who sent an OTLP point. Defaults: graph {@code service.namespace}, else the job's default graph;
 * node {@code service.name}; no peer.
 *
 * <p>Labels of a series are the attributes of point and scope and the name of the scope, and what
 * tells resources apart: {@code service.instance.id} alone where the resource has one, else every
 * attribute of the resource but those that only describe it.
 */
final class OtlpIdentity {
  private static final String INSTANCE = "service.instance.id";
  private static final String SCOPE_NAME = "otel.scope.name";
  private static final Attribute DEFAULT_GRAPH = Attribute.ofAttribute("service.namespace");
  private static final List<Attribute> DEFAULT_NODE =
      List.of(Attribute.ofAttribute("service.name"));
  private static final List<String> DESCRIBING =
      List.of(
          "telemetry.",
          "os.",
          "process.runtime.",
          "process.command",
          "process.executable.",
          "service.name",
          "service.namespace",
          "service.version");

  private final Attribute graph;
  private final List<Attribute> node;
  private final List<Attribute> peer;
  private final String otherwise;
  private final Calls calls;

  OtlpIdentity(IdentityConfig config, String defaultGraph) {
    this.graph = config.graph() == null ? DEFAULT_GRAPH : config.graph();
    this.node = config.node() == null ? DEFAULT_NODE : config.node();
    this.peer = config.peer() == null ? List.of() : config.peer();
    this.otherwise = defaultGraph;
    this.calls = new Calls(config);
  }

  /** How calls are found in names and labels. */
  Calls calls() {
    return calls;
  }

  String graph(Map<String, String> resource, Map<String, String> point) {
    String name = Names.graph(look(graph, resource, point));
    return name == null ? otherwise : name;
  }

  /** The first name there is, as sent; null = none. */
  @Nullable
  String node(Map<String, String> resource, Map<String, String> point) {
    return first(node, resource, point);
  }

  /** The first name there is, as sent; null = none. */
  @Nullable
  String peer(Map<String, String> resource, Map<String, String> point) {
    return first(peer, resource, point);
  }

  /** Labels every series of the resource and scope carries. */
  static Map<String, String> labels(
      Map<String, String> resource, String scopeName, Map<String, String> scope) {
    Map<String, String> out = new TreeMap<>(scope);
    if (!scopeName.isEmpty()) {
      out.put(SCOPE_NAME, Labels.clean(scopeName));
    }
    String instance = resource.get(INSTANCE);
    if (instance != null) {
      out.put(INSTANCE, instance);
      return out;
    }
    resource.forEach(
        (name, value) -> {
          if (DESCRIBING.stream().noneMatch(name::startsWith)) {
            out.put(name, value);
          }
        });
    return out;
  }

  @Nullable
  private static String first(
      List<Attribute> places, Map<String, String> resource, Map<String, String> point) {
    for (Attribute place : places) {
      String name = look(place, resource, point);
      if (name != null && !name.isBlank()) {
        return name;
      }
    }
    return null;
  }

  @Nullable
  private static String look(
      Attribute place, Map<String, String> resource, Map<String, String> point) {
    if (place.value() != null) {
      return place.value();
    }
    String key = place.key();
    String inPoint = point.get(key);
    if (place.attribute() == null) {
      return inPoint;
    }
    String inResource = resource.get(key);
    return inResource != null ? inResource : inPoint;
  }
}
