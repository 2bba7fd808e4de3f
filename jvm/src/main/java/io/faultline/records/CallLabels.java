package io.faultline.records;

import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Labels by which a series says something of the calls that it counts, whatever system it comes
 * from. Decoders write them, the node operator reads them.
 */
public final class CallLabels {
  /** {@code true} or {@code false}: the series counts failed calls only, or none that failed. */
  public static final String FAILED = "failed";

  /** What carries the calls, in the words of the OpenTelemetry service graph. */
  public static final String CONNECTION = "connection_type";

  /**
   * Labels that tell how calls ended. Series that differ in nothing else are one source's count of
   * the same calls.
   */
  public static final Set<String> OUTCOME =
      Set.of(
          FAILED,
          "response_code",
          "response_flags",
          "grpc_response_status",
          "classification",
          "status_code",
          "grpc_status",
          "grpc_status_code",
          "error");

  private static final String CALL = "call";
  private static final Map<String, String> KINDS =
      Map.of(
          "", CALL,
          "messaging_system", "messaging",
          "database", "database",
          "virtual_node", "virtual");

  private CallLabels() {}

  /** The kind of an edge for a value of {@link #CONNECTION}: call, messaging, ..., or as sent. */
  public static String kind(@Nullable String connection) {
    return connection == null ? CALL : KINDS.getOrDefault(connection, connection);
  }
}
