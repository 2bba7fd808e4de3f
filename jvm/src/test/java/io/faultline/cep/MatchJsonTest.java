package io.faultline.cep;

import static io.faultline.cep.Patterns.pattern;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MatchJsonTest {
  private static SeriesRef series(String peer) {
    SeriesKey key =
        new SeriesKey(
            "latency",
            SeriesKey.canonical(Map.of("pod", "c\"1")),
            peer,
            Side.SERVER,
            Kind.GAUGE,
            null,
            "ms");
    return new SeriesRef("shop", "cart", key, Signal.LATENCY, "ms");
  }

  private static String render(String pattern, Map<String, List<Event>> samples) throws Exception {
    byte[] json = MatchJson.render(Patterns.read(pattern), false, MatchJson.Kind.MATCH, samples, 9);
    return new String(json, StandardCharsets.UTF_8).replace('"', '\'');
  }

  @Test
  void aMatchOfASeries() throws Exception {
    SampleEvent first = new SampleEvent().set(series("web"), 5, 120.5, 7.25, 80, 5, 40.5, 0.4);
    SampleEvent second = new SampleEvent().set(series("web"), 8, 1);
    String steps = pattern("p", "'severity':'critical'", "{'name':'a'},{'name':'b'}");
    assertEquals(
        "{'graph':'shop','node':'cart','peer':'web',"
            + "'series':{'metric':'latency','labels':{'pod':'c\\'1'},'signal':'latency',"
            + "'unit':'ms','peer':'web'},'pattern':'p','version':1,'key':'series',"
            + "'severity':'critical','kind':'match','time':9,'start':5,'end':8,'steps':["
            + "{'name':'a','samples':[{'time':5,'value':120.5,'z':7.25,'metric':'latency',"
            + "'signal':'latency','baseline':80.0,'unit':'ms','peer':'web'}]},"
            + "{'name':'b','samples':[{'time':8,'value':1.0,'z':null,'metric':'latency',"
            + "'signal':'latency','baseline':null,'unit':'ms','peer':'web'}]}],'runbook':null}",
        render(steps, Map.of("b", List.of(second), "a", List.of(first))));
  }

  @Test
  void aMatchOfANodeNamesNoSeriesAndOnlyACommonPeer() throws Exception {
    SampleEvent one = new SampleEvent().set(series("web"), 5, 1);
    SampleEvent other = new SampleEvent().set(series(null), 8, 1);
    String node =
        pattern("p", "'runbook':'https://x'", "{'name':'a'},{'name':'b'}")
            .replace("'key':'series'", "'key':'node'");
    String json = render(node, Map.of("a", List.of(one), "b", List.of(other)));
    assertEquals(
        "{'graph':'shop','node':'cart','peer':null,'series':null,'pattern':'p','version':1,"
            + "'key':'node'",
        json.substring(0, json.indexOf(",'severity'")));
    assertEquals(",'runbook':'https://x'}", json.substring(json.lastIndexOf(",'runbook'")));
  }
}
