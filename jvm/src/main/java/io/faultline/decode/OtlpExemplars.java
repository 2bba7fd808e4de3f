package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import io.faultline.records.Exemplar;
import java.util.HexFormat;
import javax.annotation.Nullable;

/**
 * The exemplars of one point that name a trace: of those the few with the largest values, largest
 * first. Identifiers of a wrong length, or of zeros only, name nothing.
 */
final class OtlpExemplars {
  static final int KEPT = 4;
  private static final int TRACE_ID = 16;
  private static final int SPAN_ID = 8;
  private static final HexFormat HEX = HexFormat.of();

  private final Wire wire = new Wire();
  private final Exemplar[] kept = new Exemplar[KEPT];
  private int size;

  void clear() {
    size = 0;
  }

  int size() {
    return size;
  }

  Exemplar get(int index) {
    return kept[index];
  }

  /** Reads the exemplar in the current field of the point's reader. */
  void read(Wire point) throws WireException {
    wire.into(point);
    String trace = null;
    String span = null;
    double value = Double.NaN;
    long time = 0L;
    while (wire.next()) {
      switch (wire.field) {
        case 2 -> time = Times.fromNanos(wire.fixed());
        case 3 -> value = wire.real();
        case 4 -> span = id(SPAN_ID);
        case 5 -> trace = id(TRACE_ID);
        case 6 -> value = wire.fixed();
        default -> {
          // Filtered attributes and later fields are not carried.
        }
      }
    }
    if (trace != null) {
      keep(new Exemplar(trace, span, value, time));
    }
  }

  @Nullable
  private String id(int length) throws WireException {
    wire.expect(Wire.BYTES);
    if (wire.to - wire.from != length) {
      return null;
    }
    for (int i = wire.from; i < wire.to; i++) {
      if (wire.buffer()[i] != 0) {
        return HEX.formatHex(wire.buffer(), wire.from, wire.to);
      }
    }
    return null;
  }

  private void keep(Exemplar one) {
    int at = size;
    while (at > 0 && larger(one.value(), kept[at - 1].value())) {
      at--;
    }
    if (at == KEPT) {
      return;
    }
    size = Math.min(size + 1, KEPT);
    System.arraycopy(kept, at, kept, at + 1, size - 1 - at);
    kept[at] = one;
  }

  /** A value that is not said comes last. */
  private static boolean larger(double value, double than) {
    return value > than || (Double.isNaN(than) && !Double.isNaN(value));
  }
}
