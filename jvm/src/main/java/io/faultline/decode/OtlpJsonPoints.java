package io.faultline.decode;

import io.faultline.decode.OtlpJsonFields.Element;
import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/** The fields of data points from JSON to protobuf. */
final class OtlpJsonPoints {
  private final OtlpJsonFields in;
  private final OtlpJsonAttributes attributes;

  OtlpJsonPoints(OtlpJsonFields in, OtlpJsonAttributes attributes) {
    this.in = in;
    this.attributes = attributes;
  }

  /** Reads the fields of an object that the parser stands on. */
  void read(OtlpShape shape) throws IOException {
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "attributes" -> attributes.read(shape.attributes, name);
        case "startTimeUnixNano", "start_time_unix_nano" -> in.time(2, name);
        case "timeUnixNano", "time_unix_nano" -> in.time(3, name);
        case "flags" -> in.unsigned32(shape.flags, name);
        case "exemplars" -> readExemplars(shape, name);
        default -> {
          switch (shape) {
            case NUMBER -> readNumber(name);
            case HISTOGRAM -> readExplicit(name);
            case EXPONENTIAL -> readExponential(name);
            case SUMMARY -> readSummary(name);
          }
        }
      }
    }
  }

  private void readNumber(String name) throws IOException {
    switch (name) {
      case "asDouble", "as_double" -> in.real(4, name);
      case "asInt", "as_int" -> in.fixed(6, name);
      default -> in.skip();
    }
  }

  private void readExplicit(String name) throws IOException {
    switch (name) {
      case "count" -> in.count(4, name);
      case "sum" -> in.real(5, name);
      case "bucketCounts", "bucket_counts" -> in.packed(6, name, Element.COUNT);
      case "explicitBounds", "explicit_bounds" -> in.packed(7, name, Element.REAL);
      case "min" -> in.real(11, name);
      case "max" -> in.real(12, name);
      default -> in.skip();
    }
  }

  private void readExponential(String name) throws IOException {
    switch (name) {
      case "count" -> in.count(4, name);
      case "sum" -> in.real(5, name);
      case "scale" -> in.signed32(6, name);
      case "zeroCount", "zero_count" -> in.count(7, name);
      case "positive" -> readBuckets(8, name);
      case "negative" -> readBuckets(9, name);
      case "min" -> in.real(12, name);
      case "max" -> in.real(13, name);
      case "zeroThreshold", "zero_threshold" -> in.real(14, name);
      default -> in.skip();
    }
  }

  private void readBuckets(int field, String holder) throws IOException {
    if (!in.isObject(holder)) {
      return;
    }
    in.out.begin(field);
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "offset" -> in.signed32(1, name);
        case "bucketCounts", "bucket_counts" -> in.packed(2, name, Element.VARINT);
        default -> in.skip();
      }
    }
    in.out.end();
  }

  private void readSummary(String name) throws IOException {
    switch (name) {
      case "count" -> in.count(4, name);
      case "sum" -> in.real(5, name);
      case "quantileValues", "quantile_values" -> readQuantiles(name);
      default -> in.skip();
    }
  }

  private void readQuantiles(String holder) throws IOException {
    if (!in.isList(holder)) {
      return;
    }
    while (in.parser.nextToken() != JsonToken.END_ARRAY) {
      if (in.isObject(holder)) {
        in.out.begin(6);
        for (String name = in.next(); name != null; name = in.next()) {
          switch (name) {
            case "quantile" -> in.real(1, name);
            case "value" -> in.real(2, name);
            default -> in.skip();
          }
        }
        in.out.end();
      }
    }
  }

  private void readExemplars(OtlpShape shape, String holder) throws IOException {
    if (shape.exemplars == 0) {
      in.skip();
    } else if (in.isList(holder)) {
      while (in.parser.nextToken() != JsonToken.END_ARRAY) {
        if (in.isObject(holder)) {
          in.out.begin(shape.exemplars);
          readExemplar();
          in.out.end();
        }
      }
    }
  }

  private void readExemplar() throws IOException {
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "timeUnixNano", "time_unix_nano" -> in.time(2, name);
        case "asDouble", "as_double" -> in.real(3, name);
        case "spanId", "span_id" -> in.identifier(4, name);
        case "traceId", "trace_id" -> in.identifier(5, name);
        case "asInt", "as_int" -> in.fixed(6, name);
        default -> in.skip();
      }
    }
  }
}
