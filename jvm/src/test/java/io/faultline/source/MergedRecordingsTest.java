package io.faultline.source;

import static io.faultline.source.Recordings.T0;
import static io.faultline.source.Recordings.edge;
import static io.faultline.source.Recordings.sample;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergedRecordingsTest {
  @TempDir Path dir;
  private String one;
  private String two;

  @BeforeEach
  void write() throws IOException {
    one =
        Recordings.write(
                dir.resolve("one"),
                List.of(
                    sample("a", "m", 1, T0),
                    sample("b", "m", 2, T0),
                    sample("a", "k", 3, T0),
                    "nonsense",
                    "",
                    sample("a", "m", 4, T0 + 20)),
                List.of(edge("a", "b", T0), edge("b", "a", T0 + 15)))
            .toString();
    two =
        Recordings.write(
                dir.resolve("two"),
                List.of(sample("a", "m", 5, T0), sample("a", "m", 6, T0 + 10)),
                null)
            .toString();
  }

  private static MergedRecordings open(List<String> paths, List<String> names, long... positions)
      throws IOException {
    return new MergedRecordings(
        paths, names, positions, new DecodeCounters(new UnregisteredMetricsGroup()));
  }

  private static List<String> rest(MergedRecordings recordings) throws IOException {
    List<String> out = new ArrayList<>();
    List<Decoded> batch = recordings.next();
    while (!batch.isEmpty()) {
      batch.forEach(d -> out.add(describe(d)));
      batch = recordings.next();
    }
    recordings.close();
    return out;
  }

  private static String describe(Decoded d) {
    if (d.deadLetter() != null) {
      return d.deadLetter().reason() + " line " + d.deadLetter().offset();
    }
    long at = d.time() - T0;
    return d.edge() != null
        ? at + " " + d.edge().graph() + " " + d.edge().source() + ">" + d.edge().target()
        : at
            + " "
            + d.block().graph()
            + "/"
            + d.block().node()
            + Arrays.toString(d.block().values());
  }

  @Test
  void batchesComeInEventTimeWithWholeBlocks() throws Exception {
    List<String> wanted =
        List.of(
            "0 first a>b",
            "malformed line 3",
            "0 first/a[1.0, 3.0]",
            "0 first/b[2.0]",
            "0 second/a[5.0]",
            "10 second/a[6.0]",
            "15 first b>a",
            "20 first/a[4.0]");
    assertEquals(wanted, rest(open(List.of(one, two), List.of("first", "second"))));
  }

  @Test
  void withoutNamesGraphsAreAsRecorded() throws Exception {
    assertTrue(rest(open(List.of(two), List.of())).contains("0 shop/a[5.0]"));
  }

  @Test
  void readingStartsAgainAtAnyBatch() throws Exception {
    List<String> paths = List.of(one, two);
    List<String> all = rest(open(paths, List.of()));
    MergedRecordings recordings = open(paths, List.of());
    List<String> seen = new ArrayList<>();
    for (int restarts = 0; ; restarts++) {
      long[] positions = recordings.positions();
      List<String> again = rest(open(paths, List.of(), positions));
      List<String> whole = new ArrayList<>(seen);
      whole.addAll(again);
      assertEquals(all, whole);
      List<Decoded> batch = recordings.next();
      if (batch.isEmpty()) {
        assertEquals(6, restarts);
        break;
      }
      batch.forEach(d -> seen.add(describe(d)));
    }
    recordings.close();
  }

  @Test
  void anEmptyRecordingGivesNothing() throws Exception {
    Path empty = dir.resolve("empty");
    Files.createDirectories(empty);
    Recordings.gzip(empty.resolve("samples.ndjson.gz"), "");
    assertEquals(List.of(), rest(open(List.of(empty.toString()), List.of())));
  }

  @Test
  void damagedAndMissingFilesAreNamed() throws Exception {
    byte[] whole = Files.readAllBytes(Path.of(one, "samples.ndjson.gz"));
    Path cut = dir.resolve("cut");
    Files.createDirectories(cut);
    Files.write(cut.resolve("samples.ndjson.gz"), Arrays.copyOf(whole, whole.length - 12));
    IOException damaged =
        assertThrows(IOException.class, () -> rest(open(List.of(cut.toString()), List.of())));
    assertTrue(damaged.getMessage().contains(cut.toString()), damaged.getMessage());
    IOException missing =
        assertThrows(
            IOException.class, () -> open(List.of(dir.resolve("no").toString()), List.of()));
    assertTrue(missing.getMessage().contains("samples.ndjson.gz"));
  }
}
