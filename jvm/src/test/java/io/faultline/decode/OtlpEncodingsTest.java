package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Protobuf and JSON are two ways to say the same. */
class OtlpEncodingsTest {
  private static final int PAYLOADS = 800;

  private final Decoder proto = new OtlpDecoder(IdentityConfig.DEFAULT, "shop");
  private final Decoder json = new OtlpJsonDecoder(IdentityConfig.DEFAULT, "shop");

  private static byte[] bytes(OtlpMessage content) {
    return content.json().getBytes(StandardCharsets.UTF_8);
  }

  private static void assertSame(Collected wanted, Collected found, String about) {
    assertEquals(wanted.samples, found.samples, about);
    assertEquals(wanted.exemplars, found.exemplars, about);
    assertEquals(wanted.calls, found.calls, about);
    assertEquals(wanted.deadLetters, found.deadLetters, about);
    assertEquals(wanted.ignored, found.ignored, about);
  }

  @Test
  void theSameContentGivesTheSame() {
    int samples = 0;
    int deadLetters = 0;
    int ignored = 0;
    for (int seed = 0; seed < PAYLOADS; seed++) {
      OtlpMessage content = new OtlpContent(seed).payload();
      Collected wanted = Collected.of(proto, content.proto());
      byte[] text = bytes(content);
      Collected found = Collected.of(json, text);
      assertSame(wanted, found, "seed " + seed);
      samples += wanted.samples.size();
      deadLetters += wanted.deadLetters.size();
      ignored += wanted.ignored.size();
    }
    assertTrue(samples > PAYLOADS && deadLetters > PAYLOADS / 4 && ignored > PAYLOADS / 4);
  }

  @Test
  void payloadsOneAfterTheOtherAreOne() {
    for (int seed = 0; seed < 200; seed++) {
      OtlpMessage one = new OtlpContent(seed).payload();
      OtlpMessage two = new OtlpContent(-1 - seed).payload();
      byte[] joined = Arrays.copyOf(one.proto(), one.proto().length + two.proto().length);
      System.arraycopy(two.proto(), 0, joined, one.proto().length, two.proto().length);
      String text = one.json() + "\n" + two.json();
      Collected wanted = Collected.of(proto, joined);
      Collected found = Collected.of(json, text.getBytes(StandardCharsets.UTF_8));
      assertSame(wanted, found, "seed " + seed);
      int apart =
          Collected.of(proto, one.proto()).ignored.size()
              + Collected.of(proto, two.proto()).ignored.size();
      assertEquals(apart, wanted.ignored.size());
    }
  }

  @Test
  void whatWasReadBeforeChangesNothing() {
    for (int seed = 0; seed < 150; seed++) {
      byte[] payload = new OtlpContent(seed).payload().proto();
      Decoder fresh = new OtlpDecoder(IdentityConfig.DEFAULT, "shop");
      assertSame(Collected.of(fresh, payload), Collected.of(proto, payload), "seed " + seed);
    }
  }

  @Test
  void damagedPayloadsAreSurvived() {
    Random random = new Random(5);
    for (int seed = 0; seed < 800; seed++) {
      OtlpMessage content = new OtlpContent(seed % 300).payload();
      byte[] text = bytes(content);
      byte[] binary = content.proto();
      for (int i = 0; i <= seed % 4; i++) {
        text[random.nextInt(text.length)] = (byte) random.nextInt();
        binary[random.nextInt(binary.length)] = (byte) random.nextInt();
      }
      assertUsable(Collected.of(json, text));
      assertUsable(Collected.of(proto, binary));
    }
  }

  private static void assertUsable(Collected out) {
    for (Collected.Sample sample : out.samples) {
      assertTrue(Double.isFinite(sample.value()) && Times.isValid(sample.time()));
      assertTrue(!sample.node().isEmpty() && !sample.graph().isEmpty());
    }
  }
}
