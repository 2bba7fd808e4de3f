package io.faultline.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class JobConfigTest {
  private static final String KAFKA =
      "{\"type\":\"kafka\",\"bootstrap_servers\":\"b:1\",\"topic\":\"metrics\"}";

  @Test
  void defaultsAreThoseOfTheContract() {
    JobConfig config = JobConfig.read("{\"sources\":[" + KAFKA + "]}");
    assertEquals("default", config.graph());
    assertEquals(60_000L, config.tickMs());
    assertEquals(300_000L, config.maxFutureMs());
    assertEquals(10, config.windowTicks());
    assertEquals(2_000, config.limits().seriesPerNode());
    assertEquals("native", config.sources().get(0).format());
    assertNull(config.sources().get(0).identity().node());
  }

  @Test
  void everyKeyIsRead() {
    JobConfig config =
        JobConfig.read(
            "{\"sources\":[{\"type\":\"kafka\",\"bootstrap_servers\":\"b:1\",\"topic\":\"t\","
                + "\"group\":\"g\",\"start\":\"earliest\",\"bounded\":true,"
                + "\"format\":\"otlp_proto\",\"identity\":{\"graph\":{\"value\":\"shop\"},"
                + "\"node\":[{\"attribute\":\"service.name\"},{\"label\":\"job\"}],\"peer\":null},"
                + "\"edges_only\":true,\"properties\":{\"a\":\"b\"}},"
                + "{\"type\":\"recordings\",\"paths\":[\"/r\"],\"names\":[\"x\"]}],"
                + "\"graph\":\"shop\",\"tick_ms\":15000,\"graph_ticks\":{\"shop\":10000},"
                + "\"out_of_orderness_ms\":5,\"idle_after_ms\":6,\"max_future_ms\":7,"
                + "\"edge_ttl_ms\":8,\"window_ticks\":9,\"rules\":[{\"metric\":\"cpu.*\","
                + "\"labels\":{\"m\":\"u\"},\"signal\":\"cpu\",\"unit\":\"%\",\"kind\":\"gauge\","
                + "\"drop\":false,\"as\":\"rate\"}],\"patterns\":[{\"id\":\"p\"}],"
                + "\"limits\":{\"partials_per_key\":1,\"series_per_node\":2,"
                + "\"nodes_per_graph\":3},\"name\":\"n\"}");
    SourceConfig kafka = config.sources().get(0);
    assertEquals("shop", kafka.identity().graph().value());
    assertEquals("job", kafka.identity().node().get(1).key());
    assertTrue(kafka.bounded() && kafka.edgesOnly());
    assertEquals(List.of("x"), config.sources().get(1).names());
    assertEquals("rate", config.rules().get(0).get("as").asText());
    assertEquals("p", config.patterns().get(0).get("id").asText());
    assertEquals(10_000L, config.graphTicks().get("shop"));
  }

  @Test
  void unknownKeyNamesPlaceAndNearest() {
    assertRefused(
        "{\"sources\":[{\"type\":\"kafka\",\"bootstrap_servers\":\"b:1\",\"topic\":\"t\",\"grup\":1}]}",
        "config.sources[0].grup: unknown key 'grup', the nearest known key is 'group'");
  }

  @Test
  void wrongValuesAreRefused() {
    assertRefused("{\"sources\":[]}", "sources: at least one source is wanted");
    assertRefused("{\"sources\":[{\"type\":\"amqp\"}]}", "kafka or recordings is wanted");
    assertRefused("{\"sources\":[" + KAFKA + "],\"tick_ms\":0}", "tick_ms: at least 1 is wanted");
    assertRefused("{\"sources\":[" + KAFKA + "],\"tick_ms\":\"15000\"}", "config.tick_ms");
    assertRefused(
        "{\"sources\":[{\"type\":\"recordings\",\"paths\":[\"a\"],\"names\":[]}]}",
        "names: 0 names for 1 paths");
    assertRefused("{\"sources\":[" + KAFKA + "]", "config");
    assertRefused("null", "found null");
  }

  @Test
  void identityTakesExactlyOnePlace() {
    assertThrows(ConfigException.class, () -> new Attribute("a", "b", null, null));
    assertThrows(ConfigException.class, () -> new Attribute(null, null, null, null));
  }

  @Test
  void sinksNeedATarget() {
    assertThrows(ConfigException.class, () -> SinksConfig.read("{}"));
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () ->
                SinksConfig.read(
                    "{\"kafka\":{\"bootstrap_servers\":\"b\",\"delivery\":\"exactly_once\"}}"));
    assertTrue(e.getMessage().contains("transactional_id_prefix"), e.getMessage());
    assertEquals("/out", SinksConfig.read("{\"files\":{\"dir\":\"/out\"}}").files().dir());
  }

  @Test
  void sourceConfigTravelsWithTheOperator() throws Exception {
    SourceConfig config = JobConfig.read("{\"sources\":[" + KAFKA + "]}").sources().get(0);
    assertEquals(config, InstantiationUtil.clone(config));
  }

  private static void assertRefused(String json, String part) {
    ConfigException e = assertThrows(ConfigException.class, () -> JobConfig.read(json));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
