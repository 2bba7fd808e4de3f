package io.faultline.rows;

import io.faultline.cep.CepSettings;
import io.faultline.cep.CompiledPattern;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.PatternRefusedException;
import io.faultline.config.ConfigException;
import io.faultline.config.Json;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What Python asks for.
 *
 * @param pattern as JSON, with key row
 * @param columns of a match; null = whole rows by step; see {@link MatchShape}
 * @param uid of the operator; null = Flink's own
 * @param partialsPerKey beyond which the oldest partial matches of a key go
 * @param processingTime whether rows happen when they arrive
 */
record RowSpec(
    String pattern,
    @Nullable String columns,
    @Nullable String uid,
    int partialsPerKey,
    boolean processingTime)
    implements Serializable {

  /** Reads and tries the pattern; {@link ConfigException} where it cannot run. */
  static RowSpec read(String json) {
    JsonNode raw = Json.read(json, JsonNode.class, "rows");
    RowSpec spec =
        new RowSpec(
            raw.path("pattern").toString(),
            raw.hasNonNull("columns") ? raw.get("columns").toString() : null,
            raw.path("uid").asText(null),
            raw.path("partials_per_key").asInt(CepSettings.DEFAULT.partialsPerKey()),
            raw.path("processing_time").asBoolean(false));
    try {
      CompiledPattern.of(spec.model(), true);
    } catch (PatternRefusedException e) {
      throw new ConfigException(e.getMessage());
    }
    return spec;
  }

  PatternModel model() {
    try {
      PatternModel model = PatternReader.read(Json.read(pattern, JsonNode.class, "the pattern"));
      if (model.key() != PatternModel.Key.ROW) {
        throw new ConfigException("pattern " + model.id() + " is not of key row");
      }
      return model;
    } catch (PatternRefusedException e) {
      throw new ConfigException(e.getMessage());
    }
  }

  CepSettings settings(boolean timeouts) {
    return new CepSettings(partialsPerKey, timeouts);
  }
}
