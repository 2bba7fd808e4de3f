package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Messages in a buffer that were found wrong before they were written there, by where their content
 * begins: what they say must not be used. The first thing that was wrong counts.
 */
final class OtlpRefusals {
  /** Of a buffer that holds what was received. */
  static final OtlpRefusals NONE = new OtlpRefusals();

  /** Where the record as a whole begins. */
  static final int RECORD = -1;

  private final Map<Integer, WireException> byStart = new HashMap<>();

  void clear() {
    byStart.clear();
  }

  void add(int start, String reason, String detail) {
    byStart.putIfAbsent(start, new WireException(reason, detail));
  }

  /** What is wrong with the record as a whole, or null. */
  @Nullable
  WireException ofRecord() {
    return byStart.get(RECORD);
  }

  /** Throws what was wrong with the message in the current field. */
  void check(Wire outer) throws WireException {
    if (byStart.isEmpty()) {
      return;
    }
    WireException wrong = byStart.get(outer.from);
    if (wrong != null) {
      throw wrong;
    }
  }
}
