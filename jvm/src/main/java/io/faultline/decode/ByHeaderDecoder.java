package io.faultline.decode;

import io.faultline.config.FormatConfig;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * A topic of several formats: the content type in each record's headers chooses its decoder. A
 * record without one, or with one that is not known, is read in the default format, or refused
 * where there is none.
 */
final class ByHeaderDecoder implements Decoder {
  private static final int CHOICES_KEPT = 1_000;

  private final ContentTypes types;
  private final Map<String, Decoder> decoders = new HashMap<>();
  private final BytesMap<Choice> choices = new BytesMap<>();
  @Nullable private final Choice otherwise;
  private int kept;
  @Nullable private String chosen;

  ByHeaderDecoder(FormatConfig config, String defaultGraph) {
    this.types = new ContentTypes(config);
    for (String format : types.formats()) {
      decoders.put(format, Decoders.create(config.within(format), defaultGraph));
    }
    String format = config.defaultFormat();
    this.otherwise = format == null ? null : new Choice(format, decoders.get(format));
  }

  @Override
  public void decode(RawRecord in, Output out) {
    chosen = null;
    if (in.value() == null) {
      out.ignored(Reasons.TOMBSTONE);
      return;
    }
    byte[] header = types.header(in.headers());
    Choice choice = header == null ? otherwise : choice(header);
    if (choice != null) {
      chosen = choice.format();
      choice.decoder().decode(in, out);
    } else if (header == null) {
      out.deadLetter(Reasons.UNSUPPORTED, "no header tells the content type");
    } else {
      String text = new String(header, StandardCharsets.UTF_8);
      out.deadLetter(Reasons.UNSUPPORTED, "content type " + text + " has no format");
    }
  }

  @Override
  @Nullable
  public String chosen() {
    return chosen;
  }

  @Nullable
  private Choice choice(byte[] header) {
    Choice known = choices.get(header, 0, header.length);
    if (known != null) {
      return known;
    }
    String format = types.format(new String(header, StandardCharsets.UTF_8));
    if (format == null) {
      return otherwise;
    }
    if (kept++ >= CHOICES_KEPT) {
      choices.clear();
      kept = 0;
    }
    Choice found = new Choice(format, decoders.get(format));
    choices.put(header, 0, header.length, found);
    return found;
  }

  /** A format and its decoder. */
  private record Choice(String format, Decoder decoder) {}
}
