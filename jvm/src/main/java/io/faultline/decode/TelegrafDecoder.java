package io.faultline.decode;

import io.faultline.config.FormatConfig;
import java.util.Map;

/**
 * What Telegraf writes: a JSON object per metric, JSON in batches ({@code {"metrics": [...]}} or an
 * array), or influx line protocol. A record that begins with a brace or a bracket is JSON.
 *
 * <p>Booleans count as 1 and 0, as in Telegraf's own Prometheus output; other fields that are no
 * numbers are ignored.
 */
public final class TelegrafDecoder implements Decoder {
  private final JsonRecords json;
  private final TelegrafLines lines;

  TelegrafDecoder(FormatConfig config, String defaultGraph) {
    LabelIdentity identity =
        new LabelIdentity(Decoders.TELEGRAF, config.identity(), new TelegrafNodes(), defaultGraph);
    Interner<String> names = new Interner<>(100_000);
    Sources sources =
        (measurement, tags) -> {
          LabelIdentity.Identity who = identity.of(measurement, tags);
          String node = who.node() == null ? null : names.intern(who.node());
          return new TelegrafSource(
              Labels.clean(measurement),
              new LabelIdentity.Identity(
                  names.intern(who.graph()), node, who.peer(), who.labels()));
        };
    TimeUnits units = TimeUnits.of(config.jsonTimestampUnits());
    this.json = new JsonRecords(new TelegrafObject(sources, units), true);
    this.lines = new TelegrafLines(sources);
  }

  /** Makes the source of a measurement and its tags. */
  @FunctionalInterface
  interface Sources {
    TelegrafSource create(String measurement, Map<String, String> tags);
  }

  @Override
  public void decode(RawRecord in, Output out) {
    if (in.value() == null || isJson(in.value())) {
      json.decode(in, out);
    } else {
      lines.decode(in.value(), in.timestamp(), out);
    }
  }

  /** A record of blanks alone is as empty to the one as to the other. */
  private static boolean isJson(byte[] value) {
    for (byte b : value) {
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b == '{' || b == '[';
      }
    }
    return true;
  }
}
