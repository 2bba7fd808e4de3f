package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.graph.FrameRow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FramesTest {
  private static final int ROWS = 60;
  private static final long START = 1_767_225_600_000L;
  private static final long TICK = 15_000;
  private static final String[][] SERIES = {
    {"cart", "cpu", "cpu", "%", null, null},
    {"web", "cpu", "cpu", "%", null, null},
    {"cart", "latency", "latency", "ms", "web", "client"},
    {"cart", "requests", "traffic", "1", null, null}
  };

  @TempDir Path folder;
  private double[][] matrix;
  private String errors;

  @BeforeEach
  void fill() {
    Random random = new Random(1);
    matrix = new double[ROWS][SERIES.length];
    for (int r = 0; r < ROWS; r++) {
      for (int s = 0; s < SERIES.length; s++) {
        matrix[r][s] = random.nextInt(10) == 0 ? Double.NaN : 50 + random.nextGaussian();
      }
      matrix[r][3] = 30.0 * r;
    }
  }

  private static String series(int s, boolean withNode) {
    String[] d = SERIES[s];
    return (withNode ? "\"node\":\"" + d[0] + "\"," : "")
        + "\"metric\":\""
        + d[1]
        + "\",\"signal\":\""
        + d[2]
        + "\",\"unit\":\""
        + d[3]
        + "\",\"kind\":\""
        + (s == 3 ? "counter" : "gauge")
        + "\""
        + (d[4] == null ? "" : ",\"peer\":\"" + d[4] + "\",\"side\":\"" + d[5] + "\"");
  }

  private Path matrixFile(String name) throws IOException {
    StringBuilder header = new StringBuilder("{\"graph\":\"shop\",\"tick_ms\":" + TICK);
    header.append(",\"start\":").append(START).append(",\"rows\":").append(ROWS);
    header.append(",\"edges\":[{\"source\":\"web\",\"target\":\"cart\",\"ttl\":1}],\"series\":[");
    for (int s = 0; s < SERIES.length; s++) {
      header.append(s == 0 ? "{" : ",{").append(series(s, true)).append('}');
    }
    header.append("]}\n");
    ByteBuffer values =
        ByteBuffer.allocate(8 * ROWS * SERIES.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double[] row : matrix) {
      for (double value : row) {
        values.putDouble(value);
      }
    }
    Path path = folder.resolve(name);
    try (OutputStream out = Files.newOutputStream(path)) {
      out.write(header.toString().getBytes(StandardCharsets.UTF_8));
      out.write(values.array());
    }
    return path;
  }

  private Path recording() throws IOException {
    Path path = Files.createDirectory(folder.resolve("a recording"));
    Files.writeString(
        path.resolve("recording.json"), "{\"graph\":\"shop\",\"interval\":" + TICK + "}");
    StringBuilder samples = new StringBuilder();
    for (int r = 0; r < ROWS; r++) {
      for (int s = 0; s < SERIES.length; s++) {
        if (!Double.isNaN(matrix[r][s])) {
          samples.append("{\"graph\":\"shop\",\"node\":\"").append(SERIES[s][0]);
          samples.append("\",").append(series(s, false)).append(",\"value\":");
          samples.append(matrix[r][s]).append(",\"time\":").append(START + r * TICK).append("}\n");
        }
      }
    }
    gzip(path.resolve("samples.ndjson.gz"), samples.toString());
    gzip(
        path.resolve("edges.ndjson.gz"),
        "{\"graph\":\"shop\",\"source\":\"web\",\"target\":\"cart\",\"time\":" + START + "}\n");
    return path;
  }

  private static void gzip(Path path, String text) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(path))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private List<String> run(int code, String inputs, String more) {
    String request =
        "{\"inputs\":[" + inputs + "],\"out\":\"" + folder.resolve("out.bin") + "\"" + more + "}";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int actual =
        Frames.run(
            new ByteArrayInputStream(request.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    errors = err.toString(StandardCharsets.UTF_8);
    assertEquals(code, actual, errors);
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private List<byte[]> rows() throws IOException {
    ByteBuffer in =
        ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out.bin")))
            .order(ByteOrder.LITTLE_ENDIAN);
    List<byte[]> rows = new ArrayList<>();
    while (in.hasRemaining()) {
      byte[] row = new byte[in.getInt()];
      in.get(row);
      rows.add(row);
    }
    return rows;
  }

  private static String matrixInput(Path path) {
    return "{\"matrix\":\"" + path + "\"}";
  }

  @Test
  void aMatrixGivesARowPerTick() throws IOException {
    List<String> lines = run(0, matrixInput(matrixFile("m")), "");
    assertEquals(List.of("{\"input\":0,\"frames\":60,\"matches\":[],\"counts\":{}}"), lines);
    List<byte[]> rows = rows();
    assertEquals(ROWS, rows.size());
    FrameRow last = FrameRow.decode(rows.get(ROWS - 1));
    assertEquals(START + ROWS * TICK, last.time());
    assertArrayEquals(new String[] {"cart", "web"}, last.nodes());
    assertArrayEquals(new int[] {1, 0}, last.edges());
  }

  @Test
  void aRecordingGivesTheSameRowsAsItsMatrix() throws IOException {
    run(
        0,
        matrixInput(matrixFile("m")) + ",{\"recording\":\"" + recording() + "\"}",
        ",\"edge_ttl_ms\":100000000");
    List<byte[]> rows = rows();
    assertEquals(2 * ROWS, rows.size());
    for (int i = 0; i < ROWS; i++) {
      assertArrayEquals(rows.get(i), rows.get(ROWS + i), "row " + i);
    }
  }

  @Test
  void manyInputsComeInTheirOrder() throws IOException {
    StringBuilder inputs = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      matrix[0][0] = i;
      inputs.append(i == 0 ? "" : ",").append(matrixInput(matrixFile("m" + i)));
    }
    List<String> lines = run(0, inputs.toString(), "");
    for (int i = 0; i < 20; i++) {
      assertTrue(lines.get(i).startsWith("{\"input\":" + i + ","));
    }
    assertEquals(20 * ROWS, rows().size());
  }

  @Test
  void matchesAreTold() throws IOException {
    matrix[50][0] = 99;
    String pattern =
        """
        ,"patterns":[{"id":"hot","version":1,"key":"series","maturity":"experimental",
        "severity":"critical","runbook":null,"within_ms":null,
        "after_match":{"kind":"no_skip","step":null},"steps":[{"name":"hot",
        "where":{"op":">","left":{"field":"value"},"right":{"const":95}},
        "contiguity":"followed_by","times":null,"one_or_more":false,"optional":false,
        "greedy":false,"consecutive":false,"combinations":false,"until":null}],
        "select":{"signals":null,"metrics":null}}]\
        """;
    matrix[0][3] = 0;
    String line = run(0, matrixInput(matrixFile("m")), pattern).get(0);
    assertTrue(line.contains("\"pattern\":\"hot\""), line);
    assertTrue(line.contains("\"time\":" + (START + 50 * TICK)), line);
  }

  @Test
  void rulesDecideWhatTheMatrixDoesNotSay() throws IOException {
    run(0, matrixInput(matrixFile("m")), ",\"rules\":[{\"metric\":\"cpu\",\"drop\":true}]");
    FrameRow last = FrameRow.decode(rows().get(ROWS - 1));
    assertEquals(0, last.frames()[2], "cpu of cart is not present");
  }

  @Test
  void whatIsWrongIsSaid() throws IOException {
    run(1, matrixInput(folder.resolve("missing")), "");
    assertTrue(errors.contains("missing"), errors);
    run(1, "", "");
    assertTrue(errors.contains("inputs"), errors);
    run(1, "{\"matrixx\":1}", "");
    assertTrue(errors.contains("a matrix or a recording"), errors);
    Path cut = matrixFile("cut");
    byte[] bytes = Files.readAllBytes(cut);
    Files.write(cut, java.util.Arrays.copyOf(bytes, bytes.length - 1));
    run(1, matrixInput(cut), "");
    assertTrue(errors.contains("row 59 of 60"), errors);
  }
}
