package io.faultline.cli;

import io.faultline.config.ConfigException;
import io.faultline.config.FormatConfig;
import io.faultline.config.IdentityConfig;
import io.faultline.config.JobConfig;
import io.faultline.config.Json;
import io.faultline.decode.Headers;
import io.faultline.decode.RawRecord;
import io.faultline.records.Header;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What {@link Decode} is asked for.
 *
 * @param format name of the wire format
 * @param graph graph of records that name none
 * @param rules signal rules for {@code normalised}
 * @param tickMs length of a tick for {@code normalised}, ms
 * @param normalised after counters, units, signals and baseline
 * @param edgeTtlMs how long an edge counts, for {@code normalised}, ms
 * @param edgeSide whose count is an edge's, for {@code normalised}: server or client
 * @param maxFutureMs a time further ahead of its record's timestamp is refused, ms
 */
record DecodeRequest(
    String format,
    @Nullable String graph,
    IdentityConfig identity,
    @Nullable String jsonTimestampUnits,
    @Nullable Map<String, String> contentTypes,
    @Nullable String contentTypeHeader,
    @Nullable String defaultFormat,
    @Nullable List<JsonNode> rules,
    @Nullable Long tickMs,
    @Nullable Map<String, Long> graphTicks,
    @Nullable Integer windowTicks,
    boolean normalised,
    @Nullable Long edgeTtlMs,
    @Nullable String edgeSide,
    @Nullable Long maxFutureMs,
    List<Record> records) {
  private static final long MAX_FUTURE_MS = 300_000L;

  DecodeRequest {
    if (format == null) {
      throw new ConfigException("format: is missing");
    }
    if (records == null) {
      throw new ConfigException("records: are missing");
    }
    graph = graph == null || graph.isBlank() ? JobConfig.DEFAULT_GRAPH : graph.trim();
    identity = identity == null ? IdentityConfig.DEFAULT : identity;
    maxFutureMs = maxFutureMs == null ? Long.valueOf(MAX_FUTURE_MS) : maxFutureMs;
  }

  /** How the records are read. */
  FormatConfig decoding() {
    return new FormatConfig(
        format, identity, jsonTimestampUnits, contentTypes, contentTypeHeader, defaultFormat);
  }

  static DecodeRequest parse(byte[] bytes) {
    return Json.read(bytes, DecodeRequest.class, "request");
  }

  /** The records as a source would have them. */
  List<RawRecord> raw() {
    return IntStream.range(0, records.size()).mapToObj(i -> records.get(i).raw(i)).toList();
  }

  /** Headers that are text. */
  private record TextHeaders(Map<String, String> texts) implements Headers {
    @Override
    @Nullable
    public byte[] last(String name) {
      return all().stream()
          .filter(header -> header.name().equalsIgnoreCase(name))
          .map(Header::value)
          .findFirst()
          .orElse(null);
    }

    @Override
    public List<Header> all() {
      return texts.entrySet().stream()
          .map(e -> new Header(e.getKey(), e.getValue().getBytes(StandardCharsets.UTF_8)))
          .toList();
    }
  }

  /**
   * One record.
   *
   * @param valueBase64 null = a tombstone
   * @param timestamp Kafka's, ms UTC; null = none
   * @param headers name to text
   */
  record Record(
      @Nullable String valueBase64,
      @Nullable String keyBase64,
      @Nullable Long timestamp,
      @Nullable Integer partition,
      @Nullable Map<String, String> headers) {

    RawRecord raw(int index) {
      return new RawRecord(
          "request",
          partition == null ? 0 : partition,
          index,
          timestamp == null ? RawRecord.NO_TIMESTAMP : timestamp,
          bytes(keyBase64, index, "key_base64"),
          bytes(valueBase64, index, "value_base64"),
          headers == null ? Headers.NONE : new TextHeaders(headers));
    }

    @Nullable
    private static byte[] bytes(@Nullable String base64, int index, String key) {
      try {
        return base64 == null ? null : Base64.getDecoder().decode(base64);
      } catch (IllegalArgumentException e) {
        throw new ConfigException("request.records[" + index + "]." + key + ": is no base64");
      }
    }
  }
}
