package io.faultline.records;

import java.io.IOException;

/** Versions of binary forms. */
public final class Versions {
  private Versions() {}

  /** Throws where a binary form was written by a version that this one cannot read. */
  public static void expect(int found, int known, String what) throws IOException {
    if (found != known) {
      throw new IOException(what + ": version " + found + " was written, " + known + " is known");
    }
  }
}
