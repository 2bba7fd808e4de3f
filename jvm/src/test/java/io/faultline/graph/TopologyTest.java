package io.faultline.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Edge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {
  private Topology topology = new Topology();
  private final List<String> reasons = new ArrayList<>();

  private void sight(String source, String target, long time, long ttl) {
    topology.sight(new Edge("g", source, target, time, null, ttl), 3, reasons::add);
  }

  private String at(long time) throws IOException {
    topology.apply(time - 1, 100);
    topology.bound(time - 1, 3, reasons::add);
    topology = restored(topology.copy());
    List<String> live = new ArrayList<>();
    topology.at(time).forEach(link -> live.add(link.source() + ">" + link.target()));
    return String.join(" ", live) + " v" + topology.version();
  }

  private static Topology restored(Topology topology) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    topology.write(out);
    return Topology.read(new DataInputDeserializer(out.getCopyOfBuffer()));
  }

  @Test
  void anEdgeLivesFromItsSightingForItsTime() throws IOException {
    sight("a", "b", 10, 50);
    assertEquals(" v0", at(10));
    assertEquals("a>b v1", at(11));
    assertEquals("a>b v1", at(60));
    assertEquals(" v2", at(61));
  }

  @Test
  void theDefaultTimeCountsWhereTheSightingDoesNotSay() throws IOException {
    sight("a", "b", 10, -1);
    assertEquals("a>b v1", at(110));
    assertEquals(" v2", at(111));
    sight("a", "b", 120, Long.MAX_VALUE);
    assertEquals("a>b v3", at(Long.MAX_VALUE - 1));
  }

  @Test
  void sightingsInAnyOrderGiveTheSame() throws IOException {
    sight("a", "b", 90, 20);
    sight("a", "b", 10, 20);
    assertEquals("a>b v1", at(30));
    assertEquals(" v2", at(50));
    assertEquals("a>b v3", at(100));
  }

  @Test
  void repeatedSightingsAreOneEdgeAndNoNewVersion() throws IOException {
    sight("a", "b", 10, 50);
    sight("a", "b", 10, 50);
    sight("a", "b", 20, 10);
    assertEquals("a>b v1", at(30));
    sight("a", "b", 40, 50);
    assertEquals("a>b v1", at(90));
  }

  @Test
  void anEdgeToItselfIsDroppedAndCounted() throws IOException {
    sight("a", "a", 10, 50);
    assertEquals(" v0", at(11));
    assertEquals(List.of("self_edge"), reasons);
  }

  @Test
  void edgesAreInOrder() throws IOException {
    sight("b", "a", 1, 50);
    sight("a", "c", 1, 50);
    sight("a", "b", 1, 50);
    assertEquals("a>b a>c b>a v1", at(2));
  }

  @Test
  void whereThereAreTooManyTheFirstToEndGoes() throws IOException {
    sight("b", "a", 1, 50);
    sight("a", "c", 1, 40);
    sight("a", "b", 1, 60);
    assertEquals("a>b a>c b>a v1", at(2));
    sight("x", "y", 3, 70);
    sight("a", "b", 3, 50);
    assertEquals("a>b b>a x>y v3", at(4));
    assertEquals(List.of("edge_evicted"), reasons);
  }

  @Test
  void edgesThatEndedMakeRoomFirst() throws IOException {
    sight("a", "b", 1, 5);
    sight("a", "c", 1, 5);
    sight("a", "d", 1, 90);
    topology.apply(2, 100);
    sight("x", "y", 20, 5);
    assertEquals("a>d x>y v1", at(21));
    assertEquals(List.of(), reasons);
  }

  @Test
  void noMoreSightingsWaitThanEdgesMayBe() {
    for (int i = 0; i < 5; i++) {
      sight("a", "b" + i, 1_000 + i, 50);
    }
    assertEquals(List.of("edge_refused", "edge_refused"), reasons);
    assertEquals(1_052, topology.latest(100));
  }

  @Test
  void aSightingThatCameTooLateToCountIsNoEdge() {
    List<Edge> appeared = new ArrayList<>();
    sight("a", "b", 10, 5);
    topology.apply(16, 100, appeared::add);
    sight("a", "b", 20, 5);
    topology.apply(21, 100, appeared::add);
    assertEquals(List.of(20L), appeared.stream().map(Edge::time).toList());
  }

  /** Against a list of all sightings: whenever they come, however long they count. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void itIsWhatAListOfAllSightingsSays(long seed) throws IOException {
    Random random = new Random(seed);
    topology = new Topology();
    List<Edge> all = new ArrayList<>();
    Set<String> before = Set.of();
    long version = 0;
    for (long now = 10; now < 2_000; now += 1 + random.nextInt(40)) {
      for (int i = random.nextInt(6); i > 0; i--) {
        String source = "n" + random.nextInt(6);
        String target = "n" + random.nextInt(6);
        long ttl = random.nextInt(4) == 0 ? -1 : random.nextInt(120);
        Edge edge = new Edge("g", source, target, now - 60 + random.nextInt(120), null, ttl);
        topology.sight(edge, 1_000, reasons::add);
        if (!source.equals(target)) {
          all.add(edge);
        }
      }
      Set<String> expected = naive(all, now);
      version += expected.equals(before) ? 0 : 1;
      before = expected;
      String live = String.join(" ", expected);
      assertEquals(live + " v" + version, atUnbounded(now), "seed " + seed + " at " + now);
    }
    assertTrue(reasons.stream().allMatch("self_edge"::equals));
  }

  private static Set<String> naive(List<Edge> all, long now) {
    Set<String> live = new TreeSet<>();
    for (Edge edge : all) {
      long ttl = edge.ttlMs() < 0 ? 100 : edge.ttlMs();
      if (edge.time() < now && edge.time() + ttl >= now) {
        live.add(edge.source() + ">" + edge.target());
      }
    }
    return live;
  }

  private String atUnbounded(long time) throws IOException {
    topology.apply(time - 1, 100);
    topology = restored(topology.copy());
    List<String> live = new ArrayList<>();
    topology.at(time).forEach(link -> live.add(link.source() + ">" + link.target()));
    return String.join(" ", live) + " v" + topology.version();
  }

  /** The edges of a tick do not depend on the order in which sightings came before it. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theOrderOfArrivalDoesNotMatter(long seed) throws IOException {
    Random random = new Random(seed);
    List<Edge> edges = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String source = "n" + random.nextInt(9);
      edges.add(new Edge("g", source, "m", random.nextInt(300), null, random.nextInt(90)));
    }
    String expected = null;
    for (int round = 0; round < 5; round++) {
      topology = new Topology();
      edges.forEach(edge -> topology.sight(edge, 1_000, reasons::add));
      String found = atUnbounded(250) + " " + atUnbounded(290);
      assertEquals(expected == null ? found : expected, found);
      expected = found;
      Collections.shuffle(edges, random);
    }
  }

  /** However many edges a sender makes up. */
  @Test
  void itStaysBounded() throws IOException {
    Random random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      long now = i;
      topology.sight(
          new Edge("g", "s" + random.nextInt(500), "t" + i, now, null, 10_000), 64, reasons::add);
      topology.apply(now, 100);
      topology.bound(now, 64, reasons::add);
    }
    assertTrue(topology.at(5_000).size() <= 64);
    assertTrue(reasons.contains("edge_evicted"));
  }
}
