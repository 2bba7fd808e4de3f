package io.faultline.config;

import java.io.Serializable;
import javax.annotation.Nullable;

/**
 * Where a name is taken from: exactly one of the four.
 *
 * @param value the name itself
 * @param attribute attribute of the resource, or of the point where the resource lacks it
 * @param label label of the series
 * @param tag the same as a label, in the words of Telegraf
 */
public record Attribute(
    @Nullable String value,
    @Nullable String attribute,
    @Nullable String label,
    @Nullable String tag)
    implements Serializable {

  public Attribute {
    int said = 0;
    for (String part : new String[] {value, attribute, label, tag}) {
      said += part == null ? 0 : 1;
    }
    if (said != 1) {
      throw new ConfigException("exactly one of value, attribute, label, tag is wanted");
    }
  }

  public static Attribute ofValue(String value) {
    return new Attribute(value, null, null, null);
  }

  public static Attribute ofAttribute(String attribute) {
    return new Attribute(null, attribute, null, null);
  }

  /** The key to look up, or null where the name is given as a value. */
  @Nullable
  public String key() {
    if (attribute != null) {
      return attribute;
    }
    return label != null ? label : tag;
  }
}
