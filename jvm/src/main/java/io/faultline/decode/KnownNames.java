package io.faultline.decode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;

/** What names in ASCII stand for, by their bytes. Bounded; the last one is looked at first. */
final class KnownNames {
  private static final int KEPT = 100_000;

  private final UnaryOperator<String> meaning;
  private final BytesMap<String> known = new BytesMap<>();
  private byte[] lastBytes = {};
  @Nullable private String last;
  private int kept;

  /**
   * Names.
   *
   * @param meaning what a name stands for; null = nothing
   */
  KnownNames(UnaryOperator<String> meaning) {
    this.meaning = meaning;
  }

  /** What the name in that range stands for; null = nothing. */
  @Nullable
  String of(byte[] bytes, int from, int to) {
    if (Arrays.equals(lastBytes, 0, lastBytes.length, bytes, from, to)) {
      return last;
    }
    String found = known.get(bytes, from, to);
    if (found == null) {
      found = meaning.apply(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
      if (found == null) {
        return null;
      }
      if (kept++ >= KEPT) {
        known.clear();
        kept = 0;
      }
      known.put(bytes, from, to, found);
    }
    lastBytes = Arrays.copyOfRange(bytes, from, to);
    last = found;
    return found;
  }
}
