package io.faultline.records;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;

/**
 * The layouts that one thread has met, found by their bytes without copying them; those used least
 * recently go, so that what is kept stays within a bound of bytes. Their texts are shared among all
 * layouts.
 */
final class KnownLayouts {
  private static final long MOST_BYTES = 64L << 20;
  private static final ThreadLocal<KnownLayouts> OF_THREAD =
      ThreadLocal.withInitial(() -> new KnownLayouts(MOST_BYTES));

  /** Of all threads, so that a source and an operator of one JVM hold the same objects. */
  private static final Map<Layout, WeakReference<Layout>> EVERY = new WeakHashMap<>();

  private static final int MOST_TEXTS = 200_000;
  private static final long PRIME = 0x9E3779B97F4A7C15L;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Map<Bytes, Layout> layouts = new LinkedHashMap<>(64, 0.75f, true);
  private final Map<String, String> texts = new HashMap<>();
  private final Bytes probe = new Bytes();
  private final long mostBytes;
  private byte[] buffer = new byte[4096];
  private long held;

  KnownLayouts(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  static KnownLayouts ofThread() {
    return OF_THREAD.get();
  }

  /** The layout in the next {@code length} bytes. */
  Layout read(DataInputView in, int length) throws IOException {
    if (buffer.length < length) {
      buffer = new byte[Math.max(length, 2 * buffer.length)];
    }
    in.readFully(buffer, 0, length);
    probe.set(buffer, length);
    Layout known = layouts.get(probe);
    return known != null ? known : decode(Arrays.copyOf(buffer, length));
  }

  /** The layout of these series in that form, the one that is known already where there is one. */
  Layout intern(SeriesKey[] series, byte[] bytes) {
    probe.set(bytes, bytes.length);
    Layout known = layouts.get(probe);
    return known != null ? known : add(new Layout(series, bytes, probe.hash));
  }

  boolean holds(Layout layout) {
    probe.set(layout.bytes(), layout.bytes().length);
    return layouts.containsKey(probe);
  }

  private Layout decode(byte[] bytes) throws IOException {
    DataInputDeserializer in = new DataInputDeserializer(bytes);
    SeriesKey[] series = new SeriesKey[in.readInt()];
    for (int i = 0; i < series.length; i++) {
      series[i] = sharingTexts(SeriesKeys.read(in));
    }
    return add(new Layout(series, bytes, probe.hash));
  }

  private Layout add(Layout read) {
    Layout layout = canonical(read);
    Bytes key = new Bytes();
    key.set(layout.bytes(), layout.bytes().length);
    layouts.put(key, layout);
    held += layout.bytes().length;
    var eldest = layouts.entrySet().iterator();
    while (held > mostBytes && layouts.size() > 1) {
      held -= eldest.next().getKey().length;
      eldest.remove();
    }
    return layout;
  }

  private static Layout canonical(Layout layout) {
    synchronized (EVERY) {
      WeakReference<Layout> known = EVERY.get(layout);
      Layout one = known == null ? null : known.get();
      if (one == null) {
        EVERY.put(layout, new WeakReference<>(layout));
        return layout;
      }
      return one;
    }
  }

  private SeriesKey sharingTexts(SeriesKey key) {
    return new SeriesKey(
        shared(key.metric()),
        shared(key.labels()),
        key.peer() == null ? null : shared(key.peer()),
        key.side(),
        key.kind(),
        key.signal(),
        key.unit() == null ? null : shared(key.unit()));
  }

  private String shared(String text) {
    if (texts.size() >= MOST_TEXTS) {
      texts.clear();
    }
    String known = texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  /** Four independent lanes, since one would wait for its own multiplications. */
  static int hash(byte[] bytes, int length) {
    long a = length;
    long b = 1;
    long c = 2;
    long d = 3;
    int at = 0;
    for (; at + 32 <= length; at += 32) {
      a = (a ^ (long) LONGS.get(bytes, at)) * PRIME;
      b = (b ^ (long) LONGS.get(bytes, at + 8)) * PRIME;
      c = (c ^ (long) LONGS.get(bytes, at + 16)) * PRIME;
      d = (d ^ (long) LONGS.get(bytes, at + 24)) * PRIME;
      a ^= a >>> 32;
      b ^= b >>> 32;
      c ^= c >>> 32;
      d ^= d >>> 32;
    }
    for (; at < length; at++) {
      a = (a ^ bytes[at]) * PRIME;
      a ^= a >>> 32;
    }
    return (int) (((((a * PRIME ^ b) * PRIME ^ c) * PRIME) ^ d) * PRIME >>> 32);
  }

  /** The first bytes of an array, compared by content. */
  private static final class Bytes {
    private byte[] bytes;
    private int length;
    private int hash;

    void set(byte[] bytes, int length) {
      this.bytes = bytes;
      this.length = length;
      this.hash = KnownLayouts.hash(bytes, length);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes that
          && that.hash == hash
          && Arrays.equals(bytes, 0, length, that.bytes, 0, that.length);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
