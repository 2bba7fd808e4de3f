package io.faultline.decode;

import io.faultline.records.Block;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gathers the samples of one payload into blocks, one per graph, node and time, however the nodes
 * are interleaved. Blocks come out in the order of their first sample. Reused from payload to
 * payload.
 */
public final class BlockSplitter {
  private static final int BUILDERS_KEPT = 4096;

  private final LayoutCache layouts = new LayoutCache();
  private final List<Builder> pool = new ArrayList<>();
  private int used;
  private Builder[] table = new Builder[64];
  private Builder last;

  public void add(String graph, String node, long time, SeriesKey key, double value, long start) {
    Builder builder = last;
    if (builder == null || !builder.holds(graph, node, time)) {
      builder = find(graph, node, time);
      last = builder;
    }
    builder.add(key, value, start);
  }

  public boolean isEmpty() {
    return used == 0;
  }

  /** Hands on the blocks gathered since the last flush. */
  public void flush(Consumer<Block> out) {
    for (int i = 0; i < used; i++) {
      out.accept(pool.get(i).build(layouts));
    }
    if (used > 0) {
      Arrays.fill(table, null);
    }
    if (used > BUILDERS_KEPT) {
      pool.subList(BUILDERS_KEPT, pool.size()).clear();
      table = new Builder[64];
    }
    used = 0;
    last = null;
  }

  private Builder find(String graph, String node, long time) {
    int mask = table.length - 1;
    int slot = hash(graph, node, time) & mask;
    while (table[slot] != null) {
      if (table[slot].holds(graph, node, time)) {
        return table[slot];
      }
      slot = (slot + 1) & mask;
    }
    Builder builder = next();
    builder.reset(graph, node, time);
    table[slot] = builder;
    if (used * 2 > table.length) {
      grow();
    }
    return builder;
  }

  private Builder next() {
    if (used == pool.size()) {
      pool.add(new Builder());
    }
    return pool.get(used++);
  }

  private void grow() {
    table = new Builder[table.length * 2];
    int mask = table.length - 1;
    for (int i = 0; i < used; i++) {
      Builder builder = pool.get(i);
      int slot = hash(builder.graph, builder.node, builder.time) & mask;
      while (table[slot] != null) {
        slot = (slot + 1) & mask;
      }
      table[slot] = builder;
    }
  }

  private static int hash(String graph, String node, long time) {
    int h = (graph.hashCode() * 31 + node.hashCode()) * 31 + Long.hashCode(time);
    return h ^ (h >>> 16);
  }

  /** The samples of one block. */
  private static final class Builder {
    private String graph;
    private String node;
    private long time;
    private SeriesKey[] keys = new SeriesKey[32];
    private double[] values = new double[32];
    private long[] starts = new long[32];
    private boolean anyStart;
    private int size;

    void reset(String graph, String node, long time) {
      this.graph = graph;
      this.node = node;
      this.time = time;
      anyStart = false;
      size = 0;
    }

    boolean holds(String graph, String node, long time) {
      return this.time == time && this.node.equals(node) && this.graph.equals(graph);
    }

    void add(SeriesKey key, double value, long start) {
      if (size == keys.length) {
        keys = Arrays.copyOf(keys, size * 2);
        values = Arrays.copyOf(values, size * 2);
        starts = Arrays.copyOf(starts, size * 2);
      }
      keys[size] = key;
      values[size] = value;
      starts[size++] = start;
      anyStart |= start != 0L;
    }

    Block build(LayoutCache layouts) {
      return new Block(
          graph,
          node,
          time,
          layouts.get(keys, size),
          Arrays.copyOf(values, size),
          anyStart ? Arrays.copyOf(starts, size) : null);
    }
  }
}
