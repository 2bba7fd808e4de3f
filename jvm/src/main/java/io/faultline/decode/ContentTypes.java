package io.faultline.decode;

import io.faultline.config.ConfigException;
import io.faultline.config.FormatConfig;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Which format a content type stands for. A type counts as a whole first ({@code application/json;
 * profile=x}), then without its parameters; letter case and blanks do not count. What the
 * configuration says goes before what is usual.
 */
final class ContentTypes {
  /** Where a content type stands: as Kafka clients, Spring and CloudEvents write it. */
  private static final List<String> HEADERS =
      List.of("content-type", "contentType", "content_type", "ce_datacontenttype");

  private static final Map<String, String> USUAL =
      Map.of(
          "application/x-protobuf", Decoders.OTLP_PROTO,
          "application/protobuf", Decoders.OTLP_PROTO,
          "application/vnd.google.protobuf", Decoders.OTLP_PROTO,
          "application/json", Decoders.OTLP_JSON,
          "application/x-ndjson", Decoders.NATIVE,
          "text/plain", Decoders.TELEGRAF);

  private final List<String> headers;
  private final Map<String, String> formats = new HashMap<>();
  private final Set<String> used = new LinkedHashSet<>();

  ContentTypes(FormatConfig config) {
    this.headers =
        config.contentTypeHeader() == null ? HEADERS : List.of(config.contentTypeHeader());
    USUAL.forEach(formats::put);
    formats.values().retainAll(Decoders.formats());
    config.contentTypes().forEach((type, format) -> formats.put(plain(type), format));
    used.addAll(formats.values());
    if (config.defaultFormat() != null) {
      used.add(config.defaultFormat());
    }
    if (used.contains(Decoders.BY_HEADER)) {
      throw new ConfigException("content_types: by_header is no format of a single record");
    }
  }

  /** Every format that a record can turn out to be. */
  Set<String> formats() {
    return used;
  }

  /** The content type as it stands in the headers; null = none does. */
  @Nullable
  byte[] header(Headers of) {
    for (String name : headers) {
      byte[] value = of.last(name);
      if (value != null && value.length > 0) {
        return value;
      }
    }
    return null;
  }

  /** The format of a content type; null = not known. */
  @Nullable
  String format(String type) {
    String plain = plain(type);
    String whole = formats.get(plain);
    int parameters = plain.indexOf(';');
    return whole != null || parameters < 0 ? whole : formats.get(plain.substring(0, parameters));
  }

  private static String plain(String type) {
    return type.toLowerCase(Locale.ROOT).replace(" ", "").replace("\t", "");
  }
}
