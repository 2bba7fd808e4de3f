package io.faultline.graph;

import io.faultline.node.Tally;
import io.faultline.records.Edge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * The live edges of a graph. A sighting counts from its event time until its time to live has
 * passed; sightings after the clock wait, so that the order of arrival does not matter.
 *
 * <p>Bounded: once there are too many edges, those that no longer count go, and if that is not
 * enough, the eighth of them that ends first. As many sightings may wait.
 */
final class Topology {
  /** A directed edge by the names of its ends. */
  record Link(String source, String target) implements Comparable<Link> {
    private static final Comparator<Link> ORDER =
        Comparator.comparing(Link::source).thenComparing(Link::target);

    @Override
    public int compareTo(Link other) {
      return ORDER.compare(this, other);
    }
  }

  /** Until when an edge lives, and whether the last tick had it. */
  private static final class Life {
    long until;
    boolean told;
  }

  private static final int EVICTED_SHARE = 8;

  private final TreeMap<Link, Life> links = new TreeMap<>();
  private final TreeMap<Long, List<Edge>> waiting = new TreeMap<>();
  private int sightings;
  private long version;

  /** Takes a sighting; one from an edge to itself is dropped and counted. */
  void sight(Edge edge, int maxLinks, Tally tally) {
    if (edge.source().equals(edge.target())) {
      tally.add("self_edge");
    } else if (sightings >= maxLinks) {
      tally.add("edge_refused");
    } else {
      add(edge);
    }
  }

  private void add(Edge edge) {
    waiting.computeIfAbsent(edge.time(), time -> new ArrayList<>(1)).add(edge);
    sightings++;
  }

  /** Makes room where there are more edges than that; called once sightings were applied. */
  void bound(long time, int maxLinks, Tally tally) {
    if (links.size() <= maxLinks) {
      return;
    }
    links.values().removeIf(life -> life.until < time && !life.told);
    if (links.size() <= maxLinks) {
      return;
    }
    long[] ends = links.values().stream().mapToLong(life -> life.until).sorted().toArray();
    int surplus = ends.length - maxLinks + maxLinks / EVICTED_SHARE;
    long last = ends[surplus - 1];
    Iterator<Life> all = links.values().iterator();
    for (int left = surplus; left > 0; ) {
      if (all.next().until <= last) {
        all.remove();
        tally.add("edge_evicted");
        left--;
      }
    }
    version++;
  }

  private static Link link(Edge edge) {
    return new Link(edge.source(), edge.target());
  }

  /** Applies the sightings up to this event time. */
  void apply(long time, long defaultTtlMs) {
    apply(time, defaultTtlMs, edge -> {});
  }

  /**
   * Applies the sightings up to this event time.
   *
   * @param appeared takes those of edges that were not there
   */
  void apply(long time, long defaultTtlMs, Consumer<Edge> appeared) {
    while (!waiting.isEmpty() && waiting.firstKey() <= time) {
      List<Edge> edges = waiting.pollFirstEntry().getValue();
      sightings -= edges.size();
      for (Edge edge : edges) {
        long until = until(edge, defaultTtlMs);
        if (until < time) {
          continue; // It came too late to count.
        }
        boolean fresh = !isLive(edge.source(), edge.target(), edge.time());
        see(link(edge), until);
        if (fresh) {
          appeared.accept(edge);
        }
      }
    }
  }

  /** An edge lives at least until this event time. */
  void see(Link link, long until) {
    Life life = links.computeIfAbsent(link, one -> new Life());
    life.until = Math.max(life.until, until);
  }

  /** Event time of the next sighting that waits; Long.MAX_VALUE = none does. */
  long nextSighting() {
    return waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstKey();
  }

  /** Until when the last edge lives, or will live; Long.MIN_VALUE = there is none. */
  long latest(long defaultTtlMs) {
    long latest = Long.MIN_VALUE;
    for (List<Edge> edges : waiting.values()) {
      for (Edge edge : edges) {
        latest = Math.max(latest, until(edge, defaultTtlMs));
      }
    }
    for (Life life : links.values()) {
      latest = Math.max(latest, life.until);
    }
    return latest;
  }

  boolean isLive(String source, String target, long time) {
    Life life = links.get(new Link(source, target));
    return life != null && life.until >= time;
  }

  /** The targets of a node's live edges. */
  List<String> calledBy(String source, long time) {
    List<String> out = new ArrayList<>();
    for (Map.Entry<Link, Life> one : links.tailMap(new Link(source, "")).entrySet()) {
      if (!one.getKey().source().equals(source)) {
        break;
      }
      if (one.getValue().until >= time) {
        out.add(one.getKey().target());
      }
    }
    return out;
  }

  /** The live edges at the end of a tick, in order; a changed set has a new version. */
  List<Link> at(long time) {
    boolean changed = false;
    List<Link> live = new ArrayList<>(links.size());
    Iterator<Map.Entry<Link, Life>> all = links.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Link, Life> one = all.next();
      Life life = one.getValue();
      if (life.until < time) {
        changed |= life.told;
        all.remove();
      } else {
        changed |= !life.told;
        life.told = true;
        live.add(one.getKey());
      }
    }
    version += changed ? 1 : 0;
    return live;
  }

  long version() {
    return version;
  }

  private static long until(Edge edge, long defaultTtlMs) {
    long ttl = edge.ttlMs() < 0 ? defaultTtlMs : edge.ttlMs();
    long time = edge.time();
    return ttl > Long.MAX_VALUE - Math.max(0, time) ? Long.MAX_VALUE : time + ttl;
  }

  Topology copy() {
    Topology copy = new Topology();
    links.forEach(
        (link, life) -> {
          Life same = new Life();
          same.until = life.until;
          same.told = life.told;
          copy.links.put(link, same);
        });
    waiting.forEach((time, edges) -> copy.waiting.put(time, new ArrayList<>(edges)));
    copy.sightings = sightings;
    copy.version = version;
    return copy;
  }

  /** Version, links with their lives, waiting sightings in order of time. */
  void write(DataOutputView out) throws IOException {
    out.writeLong(version);
    out.writeInt(links.size());
    for (Map.Entry<Link, Life> link : links.entrySet()) {
      StringValue.writeString(link.getKey().source(), out);
      StringValue.writeString(link.getKey().target(), out);
      out.writeLong(link.getValue().until);
      out.writeBoolean(link.getValue().told);
    }
    out.writeInt(sightings);
    for (List<Edge> edges : waiting.values()) {
      for (Edge edge : edges) {
        StringValue.writeString(edge.graph(), out);
        StringValue.writeString(edge.source(), out);
        StringValue.writeString(edge.target(), out);
        out.writeLong(edge.time());
        StringValue.writeString(edge.kind(), out);
        out.writeLong(edge.ttlMs());
      }
    }
  }

  static Topology read(DataInputView in) throws IOException {
    Topology topology = new Topology();
    topology.version = in.readLong();
    for (int i = in.readInt(); i > 0; i--) {
      Link link = new Link(StringValue.readString(in), StringValue.readString(in));
      Life life = new Life();
      life.until = in.readLong();
      life.told = in.readBoolean();
      topology.links.put(link, life);
    }
    for (int i = in.readInt(); i > 0; i--) {
      Edge edge =
          new Edge(
              StringValue.readString(in),
              StringValue.readString(in),
              StringValue.readString(in),
              in.readLong(),
              StringValue.readString(in),
              in.readLong());
      topology.add(edge);
    }
    return topology;
  }
}
