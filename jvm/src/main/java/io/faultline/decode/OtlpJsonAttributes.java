package io.faultline.decode;

import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/** Attributes (lists of KeyValue) from JSON to protobuf. */
final class OtlpJsonAttributes {
  private final OtlpJsonFields in;
  private final WireWriter out;

  OtlpJsonAttributes(OtlpJsonFields in) {
    this.in = in;
    this.out = in.out;
  }

  /** A list of KeyValue, each in a field of that number. */
  void read(int field, String name) throws IOException {
    if (!in.isList(name)) {
      return;
    }
    while (in.parser.nextToken() != JsonToken.END_ARRAY) {
      if (in.isObject(name)) {
        out.begin(field);
        readPair();
        out.end();
      }
    }
  }

  private void readPair() throws IOException {
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "key" -> in.text(1, name);
        case "value" -> readValue(2, name);
        default -> in.skip();
      }
    }
  }

  private void readValue(int field, String holder) throws IOException {
    if (!in.isObject(holder)) {
      return;
    }
    out.begin(field);
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "stringValue", "string_value" -> in.text(1, name);
        case "boolValue", "bool_value" -> in.bool(2, name);
        case "intValue", "int_value" -> in.integer(3, name);
        case "doubleValue", "double_value" -> in.real(4, name);
        case "arrayValue", "array_value" -> readHolder(5, name, false);
        case "kvlistValue", "kvlist_value" -> readHolder(6, name, true);
        case "bytesValue", "bytes_value" -> in.bytes(7, name);
        default -> in.skip();
      }
    }
    out.end();
  }

  /** An ArrayValue or KeyValueList: an object whose list {@code values} holds the parts. */
  private void readHolder(int field, String holder, boolean pairs) throws IOException {
    if (!in.isObject(holder)) {
      return;
    }
    out.begin(field);
    for (String name = in.next(); name != null; name = in.next()) {
      if (!name.equals("values")) {
        in.skip();
      } else if (pairs) {
        read(1, name);
      } else if (in.isList(name)) {
        while (in.parser.nextToken() != JsonToken.END_ARRAY) {
          readElement(name);
        }
      }
    }
    out.end();
  }

  /** An element that is null is a value that says nothing. */
  private void readElement(String holder) throws IOException {
    if (in.parser.currentToken() == JsonToken.VALUE_NULL) {
      out.begin(1);
      out.end();
    } else {
      readValue(1, holder);
    }
  }
}
