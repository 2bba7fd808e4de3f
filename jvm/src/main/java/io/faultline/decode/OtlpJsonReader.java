package io.faultline.decode;

import io.faultline.decode.OtlpPath.Level;
import java.io.IOException;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * Turns OTLP metrics in JSON into protobuf, message by message as they come: names in lower camel
 * case or as the schema has them, in any order; null is as if not there, and unknown fields are
 * skipped. Reused from record to record.
 */
final class OtlpJsonReader {
  private static final List<String> TEMPORALITIES =
      List.of(
          "AGGREGATION_TEMPORALITY_UNSPECIFIED",
          "AGGREGATION_TEMPORALITY_DELTA",
          "AGGREGATION_TEMPORALITY_CUMULATIVE");

  private final OtlpJsonFields in = new OtlpJsonFields();
  private final WireWriter out = in.out;
  private final OtlpPath path = new OtlpPath();
  private final OtlpJsonOpen open = new OtlpJsonOpen();
  private final OtlpJsonAttributes attributes = new OtlpJsonAttributes(in);
  private final OtlpJsonPoints points = new OtlpJsonPoints(in, attributes);
  private OtlpShape shape = OtlpShape.NUMBER;
  private boolean named;

  /** Called before each record. */
  void clear() {
    out.clear();
    open.clear();
    path.start();
    in.refusals.clear();
    in.owner = OtlpRefusals.RECORD;
    named = false;
  }

  /** What was written since. */
  WireWriter out() {
    return out;
  }

  /** What of it must not be used. */
  OtlpRefusals refusals() {
    return in.refusals;
  }

  /** Whether the record had a list of resources, be it empty. */
  boolean named() {
    return named;
  }

  /** Where the reader is; says after a break in the text where that was. */
  OtlpPath path() {
    return path;
  }

  /** Reads the object that the parser stands on. */
  void read(JsonParser parser) throws IOException {
    in.begin(parser);
    for (String name = in.next(); name != null; name = in.next()) {
      if (is(name, "resourceMetrics", "resource_metrics")) {
        named = true;
        readEach(Level.RESOURCE, 1, name);
      } else {
        in.skip();
      }
    }
  }

  /** Called after a break in the text: takes back what is not whole, and ends what is open. */
  void endBroken() {
    open.cut(out);
    while (out.depth() > 0) {
      out.end();
    }
  }

  private static boolean is(String name, String camel, String snake) {
    return name.equals(camel) || name.equals(snake);
  }

  /** The messages of a list, each in a field of that number; resources are counted through. */
  private void readEach(Level level, int field, String holder) throws IOException {
    if (!in.isList(holder)) {
      return;
    }
    int owner = in.owner;
    while (in.parser.nextToken() != JsonToken.END_ARRAY) {
      path.next(level);
      open.begin(level, out.depth());
      in.owner = out.begin(field);
      if (in.isObject(holder)) {
        readFields(level);
      }
      out.end();
      open.end(level);
    }
    in.owner = owner;
    if (level != Level.RESOURCE) {
      path.backOutOf(level);
    }
  }

  private void readFields(Level level) throws IOException {
    switch (level) {
      case RESOURCE -> readResource();
      case SCOPE -> readScope();
      case METRIC -> readMetric();
      case POINT -> points.read(shape);
    }
  }

  private void readResource() throws IOException {
    for (String name = in.next(); name != null; name = in.next()) {
      if (name.equals("resource")) {
        readHolder(1, name);
        open.settle(Level.RESOURCE);
      } else if (is(name, "scopeMetrics", "scope_metrics")) {
        readEach(Level.SCOPE, 2, name);
      } else {
        in.skip();
      }
    }
  }

  private void readScope() throws IOException {
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "scope" -> {
          readHolder(1, name);
          open.settle(Level.SCOPE);
        }
        case "metrics" -> readEach(Level.METRIC, 2, name);
        default -> in.skip();
      }
    }
  }

  /** A Resource or InstrumentationScope; a resource has no name of its own. */
  private void readHolder(int field, String holder) throws IOException {
    if (!in.isObject(holder)) {
      return;
    }
    boolean scope = holder.equals("scope");
    out.begin(field);
    for (String name = in.next(); name != null; name = in.next()) {
      if (name.equals("attributes")) {
        attributes.read(scope ? 3 : 1, name);
      } else if (scope && name.equals("name")) {
        in.text(1, name);
      } else if (scope && name.equals("version")) {
        in.text(2, name);
      } else {
        in.skip();
      }
    }
    out.end();
  }

  private void readMetric() throws IOException {
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "name" -> {
          in.text(1, name);
          open.metricHas(OtlpJsonOpen.NAME);
        }
        case "unit" -> {
          in.text(3, name);
          open.metricHas(OtlpJsonOpen.UNIT);
        }
        case "gauge" -> readData(5, OtlpShape.NUMBER, name);
        case "sum" -> readData(7, OtlpShape.NUMBER, name);
        case "histogram" -> readData(9, OtlpShape.HISTOGRAM, name);
        case "exponentialHistogram", "exponential_histogram" ->
            readData(10, OtlpShape.EXPONENTIAL, name);
        case "summary" -> readData(11, OtlpShape.SUMMARY, name);
        default -> in.skip();
      }
    }
  }

  private void readData(int field, OtlpShape of, String holder) throws IOException {
    if (!in.isObject(holder)) {
      return;
    }
    shape = of;
    out.begin(field);
    open.beginData(holder);
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "dataPoints", "data_points" -> readEach(Level.POINT, 1, name);
        case "aggregationTemporality", "aggregation_temporality" -> {
          in.enumeration(2, name, TEMPORALITIES);
          open.metricHas(OtlpJsonOpen.TEMPORALITY);
        }
        case "isMonotonic", "is_monotonic" -> {
          in.bool(3, name);
          open.metricHas(OtlpJsonOpen.MONOTONIC);
        }
        default -> in.skip();
      }
    }
    out.end();
  }
}
