package io.faultline.decode;

import io.faultline.records.Side;
import java.util.Map;
import javax.annotation.Nullable;

/** The metrics of the OpenTelemetry and Tempo service graph, by name, in both generations. */
enum ServiceGraphMetric {
  /** Calls, counted; split by the attribute {@code failed} where the sender does so. */
  REQUESTS,
  /** Calls that failed, counted. */
  FAILED,
  /** How long calls took as the callee saw it. */
  SERVER,
  /** How long calls took as the caller saw it. */
  CLIENT;

  static final String TOTAL_NAME = "traces_service_graph_request_total";
  static final String FAILED_NAME = "traces_service_graph_request_failed_total";
  private static final String SECONDS = "_seconds";
  private static final Map<String, ServiceGraphMetric> BY_NAME =
      Map.of(
          TOTAL_NAME,
          REQUESTS,
          FAILED_NAME,
          FAILED,
          "traces_service_graph_request_server",
          SERVER,
          "traces_service_graph_request_server" + SECONDS,
          SERVER,
          "traces_service_graph_request_client",
          CLIENT,
          "traces_service_graph_request_client" + SECONDS,
          CLIENT);

  /** The metric of that name, or null where it is none of the service graph. */
  @Nullable
  static ServiceGraphMetric of(String name) {
    return BY_NAME.get(name);
  }

  boolean isCounter() {
    return this == REQUESTS || this == FAILED;
  }

  Side side() {
    return switch (this) {
      case SERVER -> Side.SERVER;
      case CLIENT -> Side.CLIENT;
      default -> Side.UNSAID;
    };
  }

  /** The declared unit, else what the name of the older generation says. */
  @Nullable
  static String unit(String name, @Nullable String declared) {
    return declared == null && name.endsWith(SECONDS) ? "s" : declared;
  }
}
