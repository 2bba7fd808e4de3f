package io.faultline.cli;

import io.faultline.graph.GraphRun;
import io.faultline.node.NodeConfig;
import io.faultline.node.NodeFeed;
import io.faultline.node.NodeProcessor;
import io.faultline.node.SignalRules;
import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A graph's samples as one file: a line of JSON {graph, tick_ms, start, rows, series: [{node,
 * metric, signal, unit, kind, peer, side, labels}], edges: [{source, target, ttl}]}, then rows x
 * series float64, little-endian, row by row; NaN = no sample. Row r is at start + r * tick_ms. The
 * edges live throughout.
 */
final class MatrixFile {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BUFFER = 1 << 20;
  private static final int LONGEST_HEADER = 1 << 26;

  /** The columns of one node. */
  private record Columns(NodeFeed feed, int[] columns, double[] values) {
    void row(long time, double[] row, GraphRun run) {
      for (int i = 0; i < columns.length; i++) {
        values[i] = row[columns[i]];
      }
      feed.row(time, values, run);
    }
  }

  private MatrixFile() {}

  /** Runs the file through the normaliser and the packer. */
  static GraphRun run(Path path, FramesRequest request, SignalRules rules) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), BUFFER)) {
      JsonNode header = JSON.readTree(headerLine(in, path));
      String graph = header.path("graph").asText();
      long tickMs = header.path("tick_ms").asLong();
      NodeConfig nodes = request.nodes(tickMs);
      GraphRun run = new GraphRun(request.graphs(tickMs), graph);
      sightEdges(header, run);
      List<Columns> columns = columns(header, new NodeProcessor(nodes, rules));
      feed(in, header, columns, run);
      return run;
    }
  }

  private static void feed(InputStream in, JsonNode header, List<Columns> columns, GraphRun run)
      throws IOException {
    int rows = header.path("rows").asInt();
    long start = header.path("start").asLong();
    long stepMs = header.path("tick_ms").asLong();
    double[] row = new double[header.path("series").size()];
    byte[] bytes = new byte[8 * row.length];
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int r = 0; r < rows; r++) {
      if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
        throw new EOFException("the matrix ends in row " + r + " of " + rows);
      }
      buffer.rewind();
      buffer.asDoubleBuffer().get(row);
      long time = start + r * stepMs;
      for (Columns one : columns) {
        one.row(time, row, run);
      }
      advance(columns, time + stepMs - 1, run);
    }
    columns.forEach(one -> one.feed().advance(Long.MAX_VALUE, run));
    run.end();
  }

  private static void advance(List<Columns> columns, long watermark, GraphRun run) {
    for (Columns one : columns) {
      one.feed().advance(watermark, run);
    }
    run.advance(watermark);
  }

  private static byte[] headerLine(InputStream in, Path path) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int b = in.read();
    while (b != '\n') {
      if (b < 0 || line.size() == LONGEST_HEADER) {
        throw new IOException(path + ": no line of JSON at its beginning");
      }
      line.write(b);
      b = in.read();
    }
    return line.toByteArray();
  }

  private static void sightEdges(JsonNode header, GraphRun run) {
    for (JsonNode edge : header.path("edges")) {
      run.edge(
          new Edge(
              header.path("graph").asText(),
              edge.path("source").asText(),
              edge.path("target").asText(),
              header.path("start").asLong(),
              null,
              Long.MAX_VALUE));
    }
  }

  private static List<Columns> columns(JsonNode header, NodeProcessor processor) {
    Map<String, List<Integer>> byNode = new LinkedHashMap<>();
    JsonNode series = header.path("series");
    for (int i = 0; i < series.size(); i++) {
      byNode.computeIfAbsent(series.get(i).path("node").asText(), node -> new ArrayList<>()).add(i);
    }
    List<Columns> all = new ArrayList<>(byNode.size());
    byNode.forEach(
        (node, indices) -> {
          int[] columns = indices.stream().mapToInt(Integer::intValue).toArray();
          SeriesKey[] keys = new SeriesKey[columns.length];
          for (int i = 0; i < columns.length; i++) {
            keys[i] = key(series.get(columns[i]));
          }
          String graph = header.path("graph").asText();
          NodeFeed feed = new NodeFeed(processor, graph, node, Layout.of(keys));
          all.add(new Columns(feed, columns, new double[columns.length]));
        });
    return all;
  }

  private static SeriesKey key(JsonNode series) {
    Map<String, String> labels = new LinkedHashMap<>();
    series
        .path("labels")
        .fields()
        .forEachRemaining(e -> labels.put(e.getKey(), e.getValue().asText()));
    String side = text(series, "side");
    String kind = text(series, "kind");
    return new SeriesKey(
        series.path("metric").asText(),
        SeriesKey.canonical(labels),
        text(series, "peer"),
        side == null ? Side.UNSAID : Side.valueOf(side.toUpperCase(Locale.ROOT)),
        kind == null ? Kind.UNSAID : Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
        signal(text(series, "signal")),
        text(series, "unit"));
  }

  @Nullable
  private static Signal signal(@Nullable String name) {
    Signal signal = name == null ? null : Signal.ofWireName(name);
    if (name != null && signal == null) {
      throw new IllegalArgumentException("a series with an unknown signal: " + name);
    }
    return signal;
  }

  @Nullable
  private static String text(JsonNode json, String field) {
    return json.path(field).isTextual() ? json.path(field).asText() : null;
  }
}
