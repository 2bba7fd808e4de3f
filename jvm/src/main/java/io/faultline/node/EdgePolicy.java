package io.faultline.node;

import io.faultline.records.Side;
import java.io.Serializable;
import java.util.Locale;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * How edges follow from series that have a peer.
 *
 * @param ttlMs how long a sighting counts, ms
 * @param counted which end's count is an edge's traffic and errors where both ends count; the other
 *     end's is taken where the first does not exist
 */
public record EdgePolicy(long ttlMs, Side counted) implements Serializable {
  public static final EdgePolicy DEFAULT = new EdgePolicy(3_600_000, Side.SERVER);

  /** Reads edge_ttl_ms and edge_side (server, client) of the job's configuration. */
  static EdgePolicy parse(JsonNode json) {
    return new EdgePolicy(
        json.path("edge_ttl_ms").asLong(DEFAULT.ttlMs()),
        Side.valueOf(json.path("edge_side").asText("server").toUpperCase(Locale.ROOT)));
  }
}
