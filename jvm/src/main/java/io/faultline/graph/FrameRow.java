package io.faultline.graph;

import io.faultline.records.NodeFrame;
import io.faultline.records.Signal;
import io.faultline.records.Versions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The frames of all nodes of a graph at one tick. Its bytes, version 2, are little-endian without
 * padding; records/frames.py reads them.
 *
 * @param tickMs length of the tick, ms
 * @param time end of the tick, ms UTC
 * @param nodes N names in order of name
 * @param presence N times {@link #NEVER_SEEN}, {@link #FRAMED} or {@link #SILENT}
 * @param age N times ticks since the last frame, -1 = never
 * @param edges E pairs of indices, source and target, sorted
 * @param frames [N x Signal.COUNT x FEATURES]
 * @param edgeFrames [E x EDGE_KINDS x EDGE_FEATURES]
 */
public record FrameRow(
    String graph,
    long tickMs,
    long time,
    long topologyVersion,
    String[] nodes,
    byte[] presence,
    int[] age,
    int[] edges,
    float[] frames,
    float[] edgeFrames) {
  public static final byte NEVER_SEEN = 0;
  public static final byte FRAMED = 1;
  public static final byte SILENT = 2;

  /** Floats of one node. */
  public static final int NODE_FLOATS = Signal.COUNT * NodeFrame.FEATURES;

  /** Floats of one edge. */
  public static final int EDGE_FLOATS = NodeFrame.EDGE_KINDS * NodeFrame.EDGE_FEATURES;

  private static final int MAGIC = 'F' | 'L' << 8 | 'F' << 16 | 'R' << 24;
  private static final short VERSION = 2;
  private static final int HEADER = 4 + 2 + 2 + 3 * 8 + 6 * 4;

  public byte[] encode() {
    byte[] graphName = utf8(graph);
    byte[][] names = new byte[nodes.length][];
    int size = HEADER + 2 + graphName.length;
    for (int i = 0; i < names.length; i++) {
      names[i] = utf8(nodes[i]);
      size += 2 + names[i].length;
    }
    size += presence.length + 4 * (age.length + edges.length + frames.length + edgeFrames.length);
    ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    putHeader(out);
    putName(out, graphName);
    for (byte[] name : names) {
      putName(out, name);
    }
    putArrays(out);
    return out.array();
  }

  private void putHeader(ByteBuffer out) {
    out.putInt(MAGIC).putShort(VERSION).putShort((short) 0);
    out.putLong(tickMs).putLong(time).putLong(topologyVersion);
    out.putInt(nodes.length).putInt(Signal.COUNT).putInt(NodeFrame.FEATURES);
    out.putInt(edges.length / 2).putInt(NodeFrame.EDGE_KINDS).putInt(NodeFrame.EDGE_FEATURES);
  }

  private void putArrays(ByteBuffer out) {
    out.put(presence);
    for (int ticks : age) {
      out.putInt(ticks);
    }
    for (int index : edges) {
      out.putInt(index);
    }
    for (float value : frames) {
      out.putFloat(value);
    }
    for (float value : edgeFrames) {
      out.putFloat(value);
    }
  }

  private static void putName(ByteBuffer out, byte[] name) {
    if (name.length > 0xFFFF) {
      throw new IllegalArgumentException("a name of " + name.length + " bytes; 65535 at most");
    }
    out.putShort((short) name.length).put(name);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Reads a row. Throws where the bytes are no row of version 2 of these sizes. */
  public static FrameRow decode(byte[] bytes) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getInt() != MAGIC) {
      throw new IOException("frame row: the magic bytes are missing");
    }
    Versions.expect(in.getShort(), VERSION, "frame row");
    in.getShort();
    long tickMs = in.getLong();
    long time = in.getLong();
    long version = in.getLong();
    int n = in.getInt();
    expect(in.getInt(), Signal.COUNT, "signals");
    expect(in.getInt(), NodeFrame.FEATURES, "features");
    int e = in.getInt();
    expect(in.getInt(), NodeFrame.EDGE_KINDS, "edge kinds");
    expect(in.getInt(), NodeFrame.EDGE_FEATURES, "edge features");
    String graph = name(in);
    String[] nodes = new String[n];
    for (int i = 0; i < n; i++) {
      nodes[i] = name(in);
    }
    byte[] presence = new byte[n];
    in.get(presence);
    return new FrameRow(
        graph,
        tickMs,
        time,
        version,
        nodes,
        presence,
        ints(in, n),
        ints(in, 2 * e),
        floats(in, n * NODE_FLOATS),
        floats(in, e * EDGE_FLOATS));
  }

  private static void expect(int found, int known, String what) throws IOException {
    if (found != known) {
      throw new IOException("frame row: " + found + " " + what + ", " + known + " expected");
    }
  }

  private static String name(ByteBuffer in) {
    byte[] bytes = new byte[in.getShort() & 0xFFFF];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static int[] ints(ByteBuffer in, int count) {
    int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = in.getInt();
    }
    return values;
  }

  private static float[] floats(ByteBuffer in, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = in.getFloat();
    }
    return values;
  }
}
