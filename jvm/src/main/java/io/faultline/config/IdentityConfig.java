package io.faultline.config;

import java.io.Serializable;
import java.util.List;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * How graph, node and peer are found in a format that does not name them; null or no places = the
 * format's default.
 *
 * @param node the first that exists names the node
 * @param peer the first that exists names the caller: the series belongs to the edge peer -> node
 */
public record IdentityConfig(
    @Nullable Attribute graph, @Nullable List<Attribute> node, @Nullable List<Attribute> peer)
    implements Serializable {

  public static final IdentityConfig DEFAULT = new IdentityConfig(null, null, null);

  public IdentityConfig {
    node = node == null || node.isEmpty() ? null : List.copyOf(node);
    peer = peer == null || peer.isEmpty() ? null : List.copyOf(peer);
  }

  /** Of the places those alone, and names that are given as such. */
  public IdentityConfig only(Predicate<Attribute> own) {
    Predicate<Attribute> kept = own.or(place -> place.value() != null);
    return new IdentityConfig(
        graph == null || !kept.test(graph) ? null : graph,
        node == null ? null : node.stream().filter(kept).toList(),
        peer == null ? null : peer.stream().filter(kept).toList());
  }
}
