package io.faultline.node;

import io.faultline.records.Edge;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * The edges that lead to a node, as it has told them: until when each counts. One is told again
 * once that makes it count for a third of its time to live longer.
 */
final class Sightings {
  private static final int RESENT_PER_TTL = 3;

  private final Map<String, Long> until = new TreeMap<>();

  /**
   * The edge to tell of, or null where it was told recently.
   *
   * @param called when the call was, or the earliest time it can have been, ms
   * @param time event time of the value that shows it, ms
   */
  @Nullable
  Edge see(
      NodeState state, String peer, @Nullable String kind, long called, long time, long ttlMs) {
    long counts = called + ttlMs;
    Long told = until.get(peer);
    boolean fresh = told == null || counts - told >= ttlMs / RESENT_PER_TTL;
    if (counts < time || !fresh || peer.equals(state.node)) {
      return null;
    }
    until.put(peer, counts);
    return new Edge(
        state.graph, peer, state.node, time, kind, called == time ? -1L : counts - time);
  }

  /** Forgets what no longer counts. */
  void trim(long time) {
    until.values().removeIf(counts -> counts < time);
  }

  int size() {
    return until.size();
  }

  Sightings copy() {
    Sightings copy = new Sightings();
    copy.until.putAll(until);
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    out.writeInt(until.size());
    for (Map.Entry<String, Long> edge : until.entrySet()) {
      StringValue.writeString(edge.getKey(), out);
      out.writeLong(edge.getValue());
    }
  }

  static Sightings read(DataInputView in) throws IOException {
    Sightings sightings = new Sightings();
    for (int i = in.readInt(); i > 0; i--) {
      sightings.until.put(StringValue.readString(in), in.readLong());
    }
    return sightings;
  }
}
