package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import java.nio.charset.StandardCharsets;
import javax.annotation.Nullable;

/** The fields of one OTLP Metric, with its data as a range of bytes. */
final class OtlpHeader {
  static final int GAUGE = 5;
  static final int SUM = 7;
  static final int SUMMARY = 11;
  private static final int NAME = 1;
  private static final int UNIT = 3;
  private static final int HISTOGRAM = 9;
  private static final int EXPONENTIAL_HISTOGRAM = 10;

  private final Wire wire = new Wire();
  int nameFrom;
  int nameTo;
  int unitFrom;
  int unitTo;

  /** Number of the field that holds the data; 0 = there are none. */
  int dataField;

  /** Where the tag of the data begins. */
  int dataTag;

  int dataFrom;
  int dataTo;

  private boolean plain;

  void clear() {
    nameFrom = nameTo = unitFrom = unitTo = dataField = 0;
    plain = false;
  }

  /** Reads the metric in the current field. */
  void read(Wire outer) throws WireException {
    wire.into(outer);
    while (wire.next()) {
      plain = dataField == 0;
      switch (wire.field) {
        case NAME -> {
          wire.expect(Wire.BYTES);
          nameFrom = wire.from;
          nameTo = wire.to;
        }
        case UNIT -> {
          wire.expect(Wire.BYTES);
          unitFrom = wire.from;
          unitTo = wire.to;
        }
        case GAUGE, SUM, HISTOGRAM, EXPONENTIAL_HISTOGRAM, SUMMARY -> {
          wire.expect(Wire.BYTES);
          dataField = wire.field;
          dataTag = wire.tag;
          dataFrom = wire.from;
          dataTo = wire.to;
        }
        default -> {
          // Description, metadata and later fields give no sample.
        }
      }
    }
  }

  /** Whether the data are the last that the metric says, and their tag is one byte. */
  boolean isPlain() {
    return plain && wire.buffer()[dataTag] > 0;
  }

  /** What the points are; null where the metric has no data of a known kind. */
  @Nullable
  OtlpShape shape() {
    return switch (dataField) {
      case GAUGE, SUM -> OtlpShape.NUMBER;
      case HISTOGRAM -> OtlpShape.HISTOGRAM;
      case EXPONENTIAL_HISTOGRAM -> OtlpShape.EXPONENTIAL;
      case SUMMARY -> OtlpShape.SUMMARY;
      default -> null;
    };
  }

  /** Whether the name says nothing; most names show with their first character that they do. */
  boolean isNameless() {
    return nameFrom == nameTo || (wire.buffer()[nameFrom] <= ' ' && name().isBlank());
  }

  String name() {
    return text(nameFrom, nameTo);
  }

  String unit() {
    return text(unitFrom, unitTo);
  }

  private String text(int from, int to) {
    return from == to ? "" : new String(wire.buffer(), from, to - from, StandardCharsets.UTF_8);
  }
}
