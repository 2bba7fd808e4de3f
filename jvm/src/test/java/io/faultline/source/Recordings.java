package io.faultline.source;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Writes recordings for tests. */
public final class Recordings {
  public static final long T0 = 1767225600000L;

  private Recordings() {}

  public static Path write(Path dir, List<String> samples, List<String> edges) throws IOException {
    Files.createDirectories(dir);
    gzip(dir.resolve("samples.ndjson.gz"), String.join("\n", samples) + "\n");
    if (edges != null) {
      gzip(dir.resolve("edges.ndjson.gz"), String.join("\n", edges));
    }
    return dir;
  }

  public static String sample(String node, String metric, double value, long time) {
    return "{\"graph\":\"shop\",\"node\":\""
        + node
        + "\",\"metric\":\""
        + metric
        + "\",\"value\":"
        + value
        + ",\"time\":"
        + time
        + ",\"signal\":\"cpu\",\"unit\":\"%\"}";
  }

  public static String edge(String source, String target, long time) {
    return "{\"graph\":\"shop\",\"source\":\""
        + source
        + "\",\"target\":\""
        + target
        + "\",\"time\":"
        + time
        + "}";
  }

  static void gzip(Path file, String text) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
