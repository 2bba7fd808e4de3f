package io.faultline.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.Edge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class TopologyTest {
  private Topology topology = new Topology();
  private final List<String> reasons = new ArrayList<>();

  private void sight(String source, String target, long time, long ttl) {
    topology.sight(new Edge("g", source, target, time, null, ttl), 3, reasons::add);
  }

  private String at(long time) throws IOException {
    topology.apply(time - 1, 100);
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
  void edgesAreInOrderAndBounded() throws IOException {
    sight("b", "a", 1, 50);
    sight("a", "c", 1, 50);
    sight("a", "b", 1, 50);
    assertEquals("a>b a>c b>a v1", at(2));
    sight("x", "y", 3, 50);
    sight("a", "b", 3, 50);
    assertEquals(List.of("edge_refused"), reasons);
  }
}
