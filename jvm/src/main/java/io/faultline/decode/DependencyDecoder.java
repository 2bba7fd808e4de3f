package io.faultline.decode;

import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import java.nio.charset.StandardCharsets;

/**
 * Dependency graphs of Jaeger and Zipkin, as their APIs answer: an array of links, or an object
 * with one in {@code data}. They give edges only, at the end of the time that the graph is of:
 * {@code endTs} of the answer where it is there, else the record's timestamp. A count of calls is a
 * total over that time and no rate.
 */
public final class DependencyDecoder implements Decoder {
  private static final int SHORT = 64;

  private final DependencyGraph graph;
  private final JsonRecords records;

  DependencyDecoder(String format, IdentityConfig identity, String defaultGraph) {
    boolean named = identity.graph() == null || identity.graph().value() != null;
    if (!named || identity.node() != null || identity.peer() != null) {
      throw new ConfigException(
          "identity: links of " + format + " name their nodes; only graph.value can be set");
    }
    this.graph =
        new DependencyGraph(identity.graph() == null ? defaultGraph : identity.graph().value());
    this.records = new JsonRecords(graph, true);
  }

  @Override
  public void decode(RawRecord in, Output out) {
    if (in.value() != null && isEmptyArray(in.value())) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
      return;
    }
    graph.begin(in.timestamp());
    records.decode(in, out);
    graph.finish(out);
  }

  /** Nobody called anybody. */
  private static boolean isEmptyArray(byte[] value) {
    return value.length < SHORT
        && new String(value, StandardCharsets.UTF_8).replaceAll("[ \\n\\r\\t]", "").equals("[]");
  }
}
