package io.faultline.decode;

import java.math.BigInteger;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Turns OTLP JSON of the cases into protobuf; fields of no meaning are left out. */
public final class OtlpJson {
  private OtlpJson() {}

  public static byte[] toProto(JsonNode root) {
    Proto out = new Proto();
    for (JsonNode resource : root.path("resourceMetrics")) {
      Proto attributes = attributes(1, resource.path("resource"));
      Proto message = new Proto().message(1, attributes);
      for (JsonNode scope : resource.path("scopeMetrics")) {
        Proto scopeMessage =
            new Proto().message(1, new Proto().text(1, scope.path("scope").path("name").asText()));
        for (JsonNode metric : scope.path("metrics")) {
          scopeMessage.message(2, metric(metric));
        }
        message.message(2, scopeMessage);
      }
      out.message(1, message);
    }
    return out.toBytes();
  }

  private static Proto metric(JsonNode metric) {
    Proto out = new Proto().text(1, metric.path("name").asText());
    if (metric.has("unit")) {
      out.text(3, metric.path("unit").asText());
    }
    if (metric.has("gauge")) {
      out.message(5, numbers(metric.path("gauge")));
    }
    if (metric.has("sum")) {
      JsonNode sum = metric.path("sum");
      Proto data = numbers(sum).varint(2, sum.path("aggregationTemporality").asLong());
      out.message(7, data.varint(3, sum.path("isMonotonic").asBoolean() ? 1 : 0));
    }
    return out;
  }

  private static Proto numbers(JsonNode data) {
    Proto out = new Proto();
    for (JsonNode point : data.path("dataPoints")) {
      out.message(1, number(point));
    }
    return out;
  }

  private static Proto number(JsonNode point) {
    Proto out = attributes(7, point);
    if (point.has("startTimeUnixNano")) {
      out.fixed(2, integer(point.path("startTimeUnixNano")));
    }
    out.fixed(3, integer(point.path("timeUnixNano")));
    if (point.has("asDouble")) {
      out.real(4, Double.parseDouble(point.path("asDouble").asText()));
    }
    if (point.has("asInt")) {
      out.fixed(6, integer(point.path("asInt")));
    }
    if (point.has("flags")) {
      out.varint(8, point.path("flags").asLong());
    }
    return out;
  }

  private static Proto attributes(int field, JsonNode holder) {
    Proto out = new Proto();
    for (JsonNode pair : holder.path("attributes")) {
      Proto value = new Proto();
      JsonNode any = pair.path("value");
      if (any.has("stringValue")) {
        value.text(1, any.path("stringValue").asText());
      } else if (any.has("boolValue")) {
        value.varint(2, any.path("boolValue").asBoolean() ? 1 : 0);
      } else if (any.has("intValue")) {
        value.varint(3, integer(any.path("intValue")));
      }
      out.message(field, new Proto().text(1, pair.path("key").asText()).message(2, value));
    }
    return out;
  }

  private static long integer(JsonNode value) {
    return new BigInteger(value.asText()).longValueExact();
  }
}
