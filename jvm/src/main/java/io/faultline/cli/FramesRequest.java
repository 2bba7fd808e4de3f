package io.faultline.cli;

import io.faultline.graph.GraphConfig;
import io.faultline.node.NodeConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What {@link Frames} is asked for: {"inputs": [{"matrix": PATH} | {"recording": DIR}], "out":
 * PATH} and optionally rules, patterns, limits, window_ticks, edge_ttl_ms, and tick_ms for all
 * inputs instead of their own.
 */
record FramesRequest(List<Input> inputs, Path out, ObjectNode json) {

  /** One input: a file with a matrix, or the folder of a recording. */
  record Input(Path path, boolean matrix) {}

  static FramesRequest parse(JsonNode json) {
    if (!json.isObject() || !json.path("out").isTextual() || json.path("inputs").isEmpty()) {
      throw new IllegalArgumentException("the request needs \"inputs\" and \"out\"");
    }
    List<Input> inputs = new ArrayList<>();
    for (JsonNode input : json.path("inputs")) {
      boolean matrix = input.path("matrix").isTextual();
      String path = input.path(matrix ? "matrix" : "recording").asText("");
      if (path.isEmpty()) {
        throw new IllegalArgumentException("an input is a matrix or a recording: " + input);
      }
      inputs.add(new Input(Path.of(path), matrix));
    }
    return new FramesRequest(inputs, Path.of(json.path("out").asText()), (ObjectNode) json);
  }

  NodeConfig nodes(long tickMs) {
    return NodeConfig.parse(config(tickMs));
  }

  GraphConfig graphs(long tickMs) {
    return GraphConfig.parse(config(tickMs));
  }

  /** The request as a job's configuration, with the input's own tick where none is asked for. */
  private JsonNode config(long tickMs) {
    if (json.path("tick_ms").isNumber()) {
      return json;
    }
    return json.deepCopy().put("tick_ms", tickMs);
  }
}
