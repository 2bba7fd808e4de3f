package io.faultline.decode;

import io.faultline.records.CallLabels;
import io.faultline.records.Edge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * The links of one record while it is read: a link, or an object with an array of them in {@code
 * data}. A link that comes twice is one edge; one without calls is none.
 */
final class DependencyGraph implements JsonRecords.Reader {
  private final String graph;
  private final List<DependencyLink> links = new ArrayList<>();
  private final Set<Edge> told = new HashSet<>();
  private long timestamp;
  private long endTs;
  private boolean outcome;
  private boolean silent;

  DependencyGraph(String graph) {
    this.graph = graph;
  }

  /** A record begins. */
  void begin(long recordTimestamp) {
    timestamp = recordTimestamp;
    told.clear();
    outcome = silent = false;
  }

  /** The record ended; one that names no call at all is said to say nothing. */
  void finish(Decoder.Output out) {
    if (silent && !outcome) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    }
  }

  @Override
  public void read(JsonParser parser, JsonRecords at, Decoder.Output out) throws IOException {
    links.clear();
    endTs = RawRecord.NO_TIMESTAMP;
    String place = at.place();
    DependencyLink alone = new DependencyLink(place);
    try {
      if (!readAnswer(parser, alone, place)) {
        links.add(alone);
      }
      silent = true;
    } finally {
      emit(out);
    }
  }

  /** Reads the object; true where it has links in {@code data} and is none itself. */
  private boolean readAnswer(JsonParser parser, DependencyLink alone, String place)
      throws IOException {
    boolean answer = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken token = parser.nextToken();
      if (field.equals("data") && token == JsonToken.START_ARRAY) {
        answer = true;
        readLinks(parser, place);
      } else if (field.equals("endTs") && token == JsonToken.VALUE_NUMBER_INT) {
        endTs = parser.getValueAsLong();
      } else {
        alone.readField(field, token, parser);
      }
    }
    return answer;
  }

  private void readLinks(JsonParser parser, String place) throws IOException {
    JsonToken token = parser.nextToken();
    for (int index = 0; token != JsonToken.END_ARRAY; index++) {
      DependencyLink link = new DependencyLink(place + ": data[" + index + "]");
      if (token == null) {
        throw new IOException("Unexpected end-of-input within an array");
      }
      if (token == JsonToken.START_OBJECT) {
        link.read(parser);
      } else {
        link.refuse(Reasons.BAD_VALUE, "an object is wanted");
        parser.skipChildren();
      }
      links.add(link);
      token = parser.nextToken();
    }
  }

  private void emit(Decoder.Output out) {
    long time = endTs == RawRecord.NO_TIMESTAMP ? timestamp : endTs;
    for (DependencyLink link : links) {
      link.require();
      if (link.reason() != null) {
        outcome = true;
        out.deadLetter(link.reason(), link.detail());
      } else if (!link.unused()) {
        outcome = true;
        emit(link, time, out);
      }
    }
  }

  private void emit(DependencyLink link, long time, Decoder.Output out) {
    String from = Names.node(link.parent());
    String to = Names.node(link.child());
    if (from == null || to == null) {
      out.ignored(Reasons.UNNAMED_NODE);
    } else if (from.equals(to)) {
      out.ignored(Reasons.SELF_EDGE);
    } else if (!Times.isValid(time)) {
      out.deadLetter(
          Reasons.BAD_TIME,
          link.place() + ": the record has no timestamp, and the answer no endTs in milliseconds");
    } else {
      Edge edge = new Edge(graph, from, to, time, CallLabels.kind(null), -1L);
      if (told.add(edge)) {
        out.edge(edge);
      }
    }
  }
}
