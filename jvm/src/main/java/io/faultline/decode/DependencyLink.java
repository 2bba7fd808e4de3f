package io.faultline.decode;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/** One link of a dependency graph: who called whom, and how often. */
final class DependencyLink {
  private final String place;
  @Nullable private String parent;
  @Nullable private String child;
  private boolean unused;
  @Nullable private String reason;
  @Nullable private String detail;

  DependencyLink(String place) {
    this.place = place;
  }

  /** Reads an object; the parser stands on its start and is left on its end. */
  void read(JsonParser parser) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      readField(field, parser.nextToken(), parser);
    }
  }

  /** Reads one field; those of no meaning are left out. */
  void readField(String field, JsonToken token, JsonParser parser) throws IOException {
    if (token != JsonToken.VALUE_NULL) {
      switch (field) {
        case "parent" -> parent = text(field, token, parser);
        case "child" -> child = text(field, token, parser);
        case "callCount" -> readCount(token, parser);
        default -> {
          // How many calls failed, and what later versions say.
        }
      }
    }
    parser.skipChildren();
  }

  @Nullable
  private String text(String field, JsonToken token, JsonParser parser) throws IOException {
    if (token == JsonToken.VALUE_STRING) {
      return parser.getText();
    }
    refuse(Reasons.BAD_VALUE, field + ": a string is wanted");
    return "";
  }

  /** A number, or as protobuf's JSON has 64-bit ones, a string of digits. */
  private void readCount(JsonToken token, JsonParser parser) throws IOException {
    String text = parser.getText();
    boolean number = token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_STRING;
    if (!number || !text.matches("[0-9]+")) {
      refuse(Reasons.BAD_VALUE, "callCount: a number of calls is wanted");
    } else {
      unused = text.chars().allMatch(digit -> digit == '0');
    }
  }

  /** Both ends must be told, if only as nobody. */
  void require() {
    if (parent == null) {
      refuse(Reasons.MISSING_FIELD, "parent: is missing");
    }
    if (child == null) {
      refuse(Reasons.MISSING_FIELD, "child: is missing");
    }
  }

  void refuse(String why, String what) {
    if (reason == null) {
      reason = why;
      detail = place + ": " + what;
    }
  }

  String place() {
    return place;
  }

  /** Who called; empty = nobody. */
  @Nullable
  String parent() {
    return parent;
  }

  @Nullable
  String child() {
    return child;
  }

  /** Whether there were no calls. */
  boolean unused() {
    return unused;
  }

  /** Why it is a dead letter; null = it is none. */
  @Nullable
  String reason() {
    return reason;
  }

  @Nullable
  String detail() {
    return detail;
  }
}
