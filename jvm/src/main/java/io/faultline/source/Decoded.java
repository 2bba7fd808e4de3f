package io.faultline.source;

import io.faultline.records.Block;
import io.faultline.records.DeadLetter;
import io.faultline.records.Edge;
import javax.annotation.Nullable;

/** What leaves a source: exactly one of the three. */
public record Decoded(@Nullable Block block, @Nullable Edge edge, @Nullable DeadLetter deadLetter) {

  public static Decoded of(Block block) {
    return new Decoded(block, null, null);
  }

  public static Decoded of(Edge edge) {
    return new Decoded(null, edge, null);
  }

  public static Decoded of(DeadLetter deadLetter) {
    return new Decoded(null, null, deadLetter);
  }

  /** Whether this has an event time; a dead letter has none. */
  public boolean isTimed() {
    return deadLetter == null;
  }

  /** Event time, ms UTC; for a dead letter the time of its record, which moves nothing. */
  public long time() {
    if (block != null) {
      return block.time();
    }
    return edge != null ? edge.time() : deadLetter.timestamp();
  }
}
