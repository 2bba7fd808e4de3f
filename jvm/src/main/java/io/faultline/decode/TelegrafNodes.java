package io.faultline.decode;

import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Where a Telegraf metric names its node, if the configuration does not say: the first of the tags
 * {@code service_name}, {@code service.name}, {@code service}, {@code svc}, {@code app}, {@code
 * application}, {@code container_name}, {@code host}.
 */
final class TelegrafNodes implements LabelIdentity.Defaults {
  private static final List<String> TAGS =
      List.of(
          "service_name",
          "service.name",
          "service",
          "svc",
          "app",
          "application",
          "container_name",
          "host");

  @Override
  @Nullable
  public String node(String metric, Map<String, String> labels, Map<String, String> rest) {
    for (String tag : TAGS) {
      String name = LabelIdentity.take(tag, labels, rest);
      if (name != null) {
        return name;
      }
    }
    return null;
  }
}
