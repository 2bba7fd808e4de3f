package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The entry of {@code pattern test} and {@code pattern run}, from bytes to lines. */
class PatternsTest {
  /** Written as 0 in what is expected. */
  private static final long T0 = 1_767_225_600_000L;

  private static final Pattern TIME = Pattern.compile("\\d{13}");
  private static final String NO_RECOVERY =
      "{'id':'n','version':1,'key':'series','within_ms':30000,'steps':["
          + "{'name':'up','where':"
          + is(">", "5")
          + "},{'name':'recovered','contiguity':'not_followed_by','where':"
          + is("<", "1")
          + "}]}";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private static String is(String op, String value) {
    return "{'op':'%s','left':{'field':'value'},'right':{'const':%s}}".formatted(op, value);
  }

  private static String sample(String node, long time, double value) {
    return "{'graph':'shop','node':'%s','metric':'error_rate','value':%s,'time':%d}"
        .formatted(node, value, T0 + time);
  }

  private static String run(String name, String... samples) {
    return "{'name':'%s','samples':[%s],'edges':[]}".formatted(name, String.join(",", samples));
  }

  private int answer(String request) {
    byte[] in = request.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return Patterns.run(
        new ByteArrayInputStream(in),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  /** What the entry says is wrong, "" for nothing. */
  private String problem(String request) {
    int code = answer(request);
    assertEquals(code == 0, err.size() == 0);
    return err.toString(StandardCharsets.UTF_8);
  }

  /** Lines without the full match, but for what patterns cost. */
  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (String line : out.toString(StandardCharsets.UTF_8).split("\n")) {
      if (line.contains("\"type\":\"cost\"")) {
        continue;
      }
      int match = line.indexOf(",\"match\":");
      line = (match < 0 ? line : line.substring(0, match) + "}").replace('"', '\'');
      lines.add(TIME.matcher(line).replaceAll(m -> "" + (Long.parseLong(m.group()) - T0)));
    }
    return lines;
  }

  @Test
  void anAbsenceIsDecidedByTheClockOfOtherNodes() {
    String samples =
        run(
            "r",
            sample("payment", 5000, 9),
            sample("ads", 7000, 8),
            sample("payment", 15_000, 6),
            sample("payment", 35_000, 0),
            sample("payment", 45_000, 0));
    assertEquals("", problem("{'patterns':[" + NO_RECOVERY + "],'runs':[" + samples + "]}"));
    assertEquals(
        List.of(
            "{'run':'r','type':'match','pattern':'n','key':'shop/payment',"
                + "'steps':{'up':[5000]},'ready_at':35000}",
            "{'run':'r','type':'match','pattern':'n','key':'shop/ads',"
                + "'steps':{'up':[7000]},'ready_at':37000}",
            "{'run':'r','type':'done','samples':5,'late':0}"),
        lines());
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("\"match\":{\"graph\":\"shop\""));
  }

  @Test
  void runsAreApartAndLateSamplesAreNamed() {
    String one = run("one", sample("a", 10_000, 9), sample("a", 9_000, 9));
    String two = run("two", sample("a", 9_000, 1), sample("a", 8_000, 9), sample("a", 1_000, 9));
    String request =
        "{'patterns':[%s],'out_of_orderness_ms':1000,'runs':[%s,%s]}"
            .formatted(NO_RECOVERY, one, two);
    assertEquals("", problem(request));
    assertEquals(
        List.of(
            "{'run':'one','type':'match','pattern':'n','key':'shop/a',"
                + "'steps':{'up':[9000]},'ready_at':39000}",
            "{'run':'one','type':'match','pattern':'n','key':'shop/a',"
                + "'steps':{'up':[10000]},'ready_at':40000}",
            "{'run':'one','type':'done','samples':2,'late':0}",
            "{'run':'two','type':'late','index':2}",
            "{'run':'two','type':'match','pattern':'n','key':'shop/a',"
                + "'steps':{'up':[8000]},'ready_at':38000}",
            "{'run':'two','type':'done','samples':3,'late':1}"),
        lines());
    String told = out.toString(StandardCharsets.UTF_8);
    assertEquals(2, told.split("\"events_seen\":2,", -1).length - 1, told);
  }

  @Test
  void refusedPatternsAreNamedAndTheOthersRun() {
    String bad = NO_RECOVERY.replace("'id':'n'", "'id':'bad'").replace("'within_ms':30000,", "");
    String request =
        "{'patterns':[%s,%s],'runs':[%s]}".formatted(bad, NO_RECOVERY, run("r", sample("a", 0, 9)));
    assertEquals("", problem(request));
    assertTrue(
        lines()
            .get(0)
            .startsWith("{'run':'r','type':'refused','pattern':'bad','reason':'step 'recovered"),
        lines().get(0));
    assertTrue(lines().get(1).contains("'pattern':'n'"), lines().get(1));
  }

  @Test
  void conditionsSeeRatesOfCountersAndDeclaredSignals() {
    String traffic =
        "{'id':'t','version':1,'key':'series','steps':[{'name':'a','where':{'op':'and','args':["
            + is(">", "1.5")
            + ",{'op':'==','left':{'field':'signal'},'right':{'const':'traffic'}}]}}]}";
    String counter =
        "{'graph':'g','node':'n','metric':'calls','value':%d,'time':%d,'kind':'counter',"
            + "'signal':'traffic'}";
    String samples =
        run(
            "r",
            counter.formatted(10, T0),
            counter.formatted(20, T0 + 10_000),
            counter.formatted(40, T0 + 20_000));
    assertEquals("", problem("{'patterns':[" + traffic + "],'runs':[" + samples + "]}"));
    assertEquals(
        "{'run':'r','type':'match','pattern':'t','key':'g/n','steps':{'a':[20000]},"
            + "'ready_at':20000}",
        lines().get(0));
    assertEquals(2, lines().size());
  }

  @Test
  void aRequestOrSampleThatIsWrongIsAnError() {
    assertEquals(1, answer("{'patterns':[],'run':[]}"));
    assertTrue(err.toString(StandardCharsets.UTF_8).contains("\"runs\""));
    err.reset();
    assertEquals(0, answer("{'patterns':[],'runs':[" + run("r", "{'graph':'g'}") + "]}"));
    String told = lines().get(0);
    assertTrue(
        told.startsWith("{'run':'r','type':'wrong','reason':'sample 0: missing_field"), told);
  }

  private static void write(Path folder, String file, String... lines) throws IOException {
    try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(folder.resolve(file)))) {
      gzip.write(String.join("\n", lines).replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
  }

  private String recorded(Path folder) throws IOException {
    Files.writeString(folder.resolve("recording.json"), "{\"graph\": \"shop\"}");
    String runs = "{'name':'r','recording':'" + folder + "'}";
    assertEquals("", problem("{'patterns':[" + NO_RECOVERY + "],'runs':[" + runs + "]}"));
    return String.join("\n", lines()).replaceAll("[^' ]*/samples", "DIR/samples");
  }

  @Test
  void aRecordingNeedsNoEdges(@TempDir Path folder) throws IOException {
    write(folder, "samples.ndjson.gz", sample("a", 5000, 9));
    assertTrue(recorded(folder).contains("'type':'match'"));
  }

  @Test
  void aRecordingMayBeEmpty(@TempDir Path folder) throws IOException {
    Files.createFile(folder.resolve("samples.ndjson.gz"));
    Files.createFile(folder.resolve("edges.ndjson.gz"));
    assertEquals("{'run':'r','type':'done','samples':0,'late':0}", recorded(folder));
  }

  @Test
  void aLineThatIsWrongIsNamed(@TempDir Path folder) throws IOException {
    write(folder, "samples.ndjson.gz", sample("a", 5000, 9), "{'graph':'shop','value':'x'}");
    String told = recorded(folder);
    assertTrue(
        told.startsWith("{'run':'r','type':'wrong','reason':'DIR/samples.ndjson.gz:2: "), told);
  }

  @Test
  void aFileThatIsNoGzipIsNamed(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("samples.ndjson.gz"), "hello");
    assertEquals(
        "{'run':'r','type':'wrong','reason':'DIR/samples.ndjson.gz:1: cannot be read: "
            + "Not in GZIP format'}",
        recorded(folder));
  }
}
