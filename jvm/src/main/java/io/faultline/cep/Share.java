package io.faultline.cep;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * The part of all graphs that a pattern applies to. Which graphs these are depends on the pattern's
 * id and the graph's name only: the first 53 bits of the SHA-256 of {@code id\ngraph} in UTF-8, as
 * a fraction of 2^53, are below the share. So a replay gives the same, another version of the
 * pattern applies to the same graphs, and a larger share to those and further ones.
 */
public final class Share {
  public static final Share ALL = new Share(1);

  private static final int REMEMBERED = 10_000;
  private static final int BITS = 53;

  private final double part;
  private final Map<String, Boolean> known = new HashMap<>();

  private Share(double part) {
    this.part = part;
  }

  /**
   * @param part above 0, at most 1
   */
  public static Share of(double part) {
    if (!(part > 0 && part <= 1)) {
      throw new IllegalArgumentException("share must be above 0 and at most 1, not " + part);
    }
    return part == 1 ? ALL : new Share(part);
  }

  public double part() {
    return part;
  }

  boolean isAll() {
    return part == 1;
  }

  /** Whether a pattern applies to a graph; one without a name is always covered. */
  boolean covers(String pattern, @Nullable String graph) {
    if (graph == null || isAll()) {
      return true;
    }
    if (known.size() >= REMEMBERED) {
      known.clear();
    }
    return known.computeIfAbsent(graph, name -> place(pattern, name) < part);
  }

  /** Where the pair lies, from 0 to below 1. */
  static double place(String pattern, String graph) {
    try {
      byte[] text = (pattern + '\n' + graph).getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text);
      long bits = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        bits = bits << 8 | (hash[i] & 0xff);
      }
      return (bits >>> (Long.SIZE - BITS)) / (double) (1L << BITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Share share && share.part == part;
  }

  @Override
  public int hashCode() {
    return Objects.hash(part);
  }
}
