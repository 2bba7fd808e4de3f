package io.faultline.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.junit.jupiter.api.Test;

class KnownLayoutsTest {
  private static final SeriesKey CPU = SeriesKey.of("cpu");
  private static final SeriesKey MEMORY = SeriesKey.of("memory");

  private static Layout read(KnownLayouts known, Layout layout) throws IOException {
    byte[] bytes = layout.bytes();
    return known.read(new DataInputDeserializer(bytes), bytes.length);
  }

  @Test
  void theSameBytesAreTheSameLayout() throws IOException {
    KnownLayouts known = new KnownLayouts(1 << 20);
    Layout sent = Layout.of(CPU, MEMORY);
    Layout first = read(known, sent);
    assertSame(sent, first, "a source and an operator of one JVM hold one object");
    assertEquals(MEMORY, first.series(1));
    assertSame(first, read(known, sent));
    assertNotEquals(first, read(known, Layout.of(MEMORY, CPU)));
  }

  @Test
  void aLayoutThatFollowsALongerOneIsItself() throws IOException {
    KnownLayouts known = new KnownLayouts(1 << 20);
    SeriesKey[] many = new SeriesKey[500];
    for (int i = 0; i < many.length; i++) {
      many[i] = SeriesKey.of("a metric with a rather long name, the number is " + i);
    }
    assertEquals(500, read(known, Layout.of(many)).size());
    assertEquals(CPU, read(known, Layout.of(CPU)).series(0));
    assertEquals(many[499], read(known, Layout.of(many)).series(499));
  }

  @Test
  void textsAreSharedAmongLayouts() throws IOException {
    KnownLayouts known = new KnownLayouts(1 << 20);
    SeriesKey one = read(known, Layout.of(CPU)).series(0);
    SeriesKey other = read(known, Layout.of(CPU, MEMORY)).series(0);
    assertSame(one.metric(), other.metric());
  }

  @Test
  void whatWasUsedLeastRecentlyGoes() throws IOException {
    int length = Layout.of(SeriesKey.of("m0")).bytes().length;
    KnownLayouts known = new KnownLayouts(2L * length);
    Layout first = read(known, Layout.of(SeriesKey.of("m0")));
    Layout second = read(known, Layout.of(SeriesKey.of("m1")));
    assertSame(first, read(known, Layout.of(SeriesKey.of("m0"))));
    Layout third = read(known, Layout.of(SeriesKey.of("m2")));
    assertSame(first, read(known, Layout.of(SeriesKey.of("m0"))));
    assertSame(third, read(known, Layout.of(SeriesKey.of("m2"))));
    assertFalse(known.holds(second));
  }

  @Test
  void everyByteCountsInTheHash() {
    Random random = new Random(1);
    for (int length = 1; length < 100; length++) {
      byte[] bytes = new byte[length + 5];
      random.nextBytes(bytes);
      int hash = KnownLayouts.hash(bytes, length);
      for (int i = 0; i < length; i++) {
        bytes[i] ^= 1;
        assertNotEquals(hash, KnownLayouts.hash(bytes, length), "byte " + i + " of " + length);
        bytes[i] ^= 1;
      }
      bytes[length] ^= 1;
      assertEquals(hash, KnownLayouts.hash(bytes, length), "what follows is not part of it");
    }
  }

  @Test
  void equalKeysHashAlike() {
    SeriesKey key = new SeriesKey("m", "l", "p", Side.CLIENT, Kind.GAUGE, Signal.CPU, "1");
    SeriesKey same = new SeriesKey("m", "l", "p", Side.CLIENT, Kind.GAUGE, Signal.CPU, "1");
    assertEquals(key, same);
    assertEquals(key.hashCode(), same.hashCode());
    assertNotEquals(key, new SeriesKey("m", "l", "p", Side.SERVER, Kind.GAUGE, Signal.CPU, "1"));
    assertNotEquals(key, new SeriesKey("m", "l", null, Side.CLIENT, Kind.GAUGE, Signal.CPU, "1"));
    assertNotEquals(key, new SeriesKey("m", "l", "p", Side.CLIENT, Kind.GAUGE, Signal.CPU, null));
  }
}
