package io.faultline.decode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Payloads to damage: the samples whose file name begins with the format's, and small ones made
 * here. A format of its own kind is damaged with the payloads of all others.
 */
final class FuzzCorpus {
  private static final Path SAMPLES = Path.of("src", "test", "resources", "samples");
  private static final long TIME = 1_767_225_600_000_000_000L;

  private FuzzCorpus() {}

  /** The payloads of a format, in a fixed order. */
  static List<byte[]> of(String format) {
    List<byte[]> all = new ArrayList<>(files(format));
    if (format.equals(Decoders.OTLP_PROTO)) {
      all.addAll(protobuf());
    }
    return all.isEmpty() ? files("") : all;
  }

  private static List<byte[]> files(String prefix) {
    try (Stream<Path> files = Files.list(SAMPLES)) {
      List<byte[]> all = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        if (file.getFileName().toString().startsWith(prefix)) {
          byte[] whole = Files.readAllBytes(file);
          all.add(whole);
          if (file.toString().endsWith(".ndjson") || file.toString().endsWith(".lp")) {
            all.addAll(lines(whole));
          }
        }
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each line by itself where there are several. */
  private static List<byte[]> lines(byte[] whole) {
    String[] lines = new String(whole, StandardCharsets.ISO_8859_1).split("\n");
    return lines.length < 2
        ? List.of()
        : Stream.of(lines).map(line -> line.getBytes(StandardCharsets.ISO_8859_1)).toList();
  }

  private static List<byte[]> protobuf() {
    Proto gauge = new Proto().message(1, number(1.5)).message(1, number(Double.NaN));
    Proto sum = new Proto().message(1, number(7)).varint(2, 2).varint(3, 1);
    Proto histogram =
        new Proto()
            .message(
                1,
                time(new Proto().attribute(9, "route", "/"))
                    .fixed(4, 3)
                    .real(5, 1.5)
                    .packed(6, 1L, 1L, 1L)
                    .packed(7, 0.1, 1.0))
            .varint(2, 2);
    Proto buckets = new Proto().varint(1, 1).bytes(2, new byte[] {1, 2, 3});
    Proto exponential =
        new Proto()
            .message(
                1,
                time(new Proto().attribute(1, "a", "b"))
                    .fixed(4, 6)
                    .real(5, 9)
                    .varint(6, 2)
                    .fixed(7, 0)
                    .message(8, buckets))
            .varint(2, 1);
    Proto quantile = new Proto().real(1, 0.99).real(2, 12);
    Proto summary =
        new Proto()
            .message(
                1,
                time(new Proto().attribute(7, "a", "b"))
                    .fixed(4, 6)
                    .real(5, 9)
                    .message(6, quantile));
    return List.of(
        payload(5, gauge),
        payload(7, sum),
        payload(9, histogram),
        payload(10, exponential),
        payload(11, summary));
  }

  private static Proto number(double value) {
    return time(new Proto().attribute(7, "cpu", "0")).real(4, value);
  }

  private static Proto time(Proto point) {
    return point.fixed(2, TIME - 1_000_000_000L).fixed(3, TIME);
  }

  private static byte[] payload(int kind, Proto data) {
    Proto metric = new Proto().text(1, "m").text(3, "s").message(kind, data);
    Proto resource = new Proto().attribute(1, "service.name", "cart");
    Proto scope = new Proto().text(1, "scope").attribute(3, "x", "y");
    Proto scopeMetrics = new Proto().message(1, scope).message(2, metric);
    return new Proto()
        .message(1, new Proto().message(1, resource).message(2, scopeMetrics))
        .toBytes();
  }
}
