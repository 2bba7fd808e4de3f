package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @ParameterizedTest
  @CsvSource({
    "cart,cart",
    "'  cart\t',cart",
    "Cart,Cart",
    "db:5432,db:5432",
    "api.example.com,api.example.com",
    "cart.shop.svc,cart",
    "cart.shop.svc.cluster.local,cart",
    "cart.shop.svc.cluster.local:80,cart",
    "cart.shop.svc:80,cart",
    "cart.svc,cart.svc",
    "a.b.c.svc,a.b.c.svc",
    "cart.shop.svcs,cart.shop.svcs",
    ".shop.svc,.shop.svc",
    "user-db,user-db",
    "Überall,Überall",
  })
  void namesOfNodes(String raw, String name) {
    assertEquals(name, Names.node(raw));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " \t",
        "-",
        "unknown",
        "Unknown",
        "user",
        "USER",
        "PassthroughCluster",
        "InboundPassthroughClusterIpv4",
        "BlackHoleCluster",
        "unknown_service",
        "unknown_service:java",
        "null"
      })
  void namesOfNobody(String raw) {
    assertNull(Names.node(raw));
  }

  @Test
  void controlCharactersAndEndlessNamesCannotHarm() {
    assertEquals("a b", Names.node("a\u0000b\u001f"));
    assertEquals("x".repeat(512), Names.node("x".repeat(512)));
    assertNull(Names.node("x".repeat(513)));
    assertNull(Names.node(null));
  }
}
