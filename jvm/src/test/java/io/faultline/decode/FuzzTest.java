package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.faultline.config.IdentityConfig;
import io.faultline.records.Header;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.annotation.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged payloads through every decoder: it neither throws nor hangs, every record has an outcome,
 * and what is handed on can be borne by what follows.
 *
 * <p>{@code -Dfuzz.count=1000000 -Dfuzz.seed=2 -Dfuzz.formats=native,telegraf} (or {@code make
 * fuzz}) for more; the counts are in target/fuzz.
 */
class FuzzTest {
  private static final long COUNT = Long.getLong("fuzz.count", 20_000L);
  private static final long SEED = Long.getLong("fuzz.seed", 1L);
  private static final String ONLY = System.getProperty("fuzz.formats", "");
  private static final long HANGS_AFTER_MS = 300_000L;
  private static final long TIMESTAMP = 1_767_225_660_000L;
  private static final List<String> CONTENT_TYPES =
      List.of(
          "application/x-protobuf",
          "application/json",
          "application/x-ndjson",
          "text/plain; charset=utf-8",
          "image/png",
          "\u00ff");

  static Set<String> formats() {
    Set<String> formats = new TreeSet<>(Decoders.formats());
    if (!ONLY.isEmpty()) {
      formats.retainAll(List.of(ONLY.split(",")));
    }
    return formats;
  }

  @ParameterizedTest
  @MethodSource("formats")
  void everyRecordHasAnOutcome(String format) throws Exception {
    Run run = new Run(format);
    Thread worker = new Thread(run, "fuzz-" + format);
    worker.setDaemon(true);
    worker.start();
    long seen = -1;
    long since = System.currentTimeMillis();
    while (worker.isAlive()) {
      worker.join(1_000);
      long done = run.done.get();
      long now = System.currentTimeMillis();
      since = done == seen ? since : now;
      seen = done;
      if (now - since > HANGS_AFTER_MS) {
        fail("hangs at " + run.where() + List.of(worker.getStackTrace()));
      }
    }
    if (run.failure.get() != null) {
      throw new AssertionError(run.where(), run.failure.get());
    }
    assertTrue(run.tally.samples + run.tally.edges > 0, "something is read");
    assertTrue(run.tally.deadLetters > 0, "something is refused");
    Path report = Path.of("target", "fuzz", format + ".txt");
    Files.createDirectories(report.getParent());
    Files.writeString(
        report, format + ": " + seen + " payloads, seed " + SEED + ": " + run.tally + "\n");
  }

  /** All payloads of one format. */
  private static final class Run implements Runnable {
    private final String format;
    private final Decoder decoder;
    private final FuzzMutator mutator;
    private final FuzzTally tally = new FuzzTally();
    private final AtomicLong done = new AtomicLong();
    private final AtomicReference<byte[]> current = new AtomicReference<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    Run(String format) {
      this.format = format;
      this.decoder = Decoders.create(format, IdentityConfig.DEFAULT, "shop");
      this.mutator = new FuzzMutator(FuzzCorpus.of(format), SEED);
    }

    @Override
    public void run() {
      try {
        for (long i = 0; i < COUNT; i++) {
          byte[] value = mutator.next();
          current.set(value);
          long before = tally.outcomes();
          decoder.decode(record(i, value), tally);
          if (tally.outcomes() == before) {
            throw new AssertionError("a record without an outcome");
          }
          done.incrementAndGet();
        }
      } catch (RuntimeException | Error e) {
        failure.set(e);
      }
    }

    private static RawRecord record(long index, byte[] value) {
      String type = CONTENT_TYPES.get((int) (index % CONTENT_TYPES.size()));
      long timestamp = index % 2 == 0 ? TIMESTAMP : RawRecord.NO_TIMESTAMP;
      return new RawRecord("t", 0, index, timestamp, null, value, new OneHeader(type));
    }

    String where() {
      String bytes = Base64.getEncoder().encodeToString(current.get());
      return format + " payload " + done.get() + " of seed " + SEED + ": " + bytes + " ";
    }
  }

  /** The content type and nothing else. */
  private record OneHeader(String type) implements Headers {
    @Override
    @Nullable
    public byte[] last(String name) {
      return name.equals("content-type") ? type.getBytes() : null;
    }

    @Override
    public List<Header> all() {
      return List.of(new Header("content-type", type.getBytes()));
    }
  }
}
