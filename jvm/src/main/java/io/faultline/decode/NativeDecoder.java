package io.faultline.decode;

import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import javax.annotation.Nullable;

/**
 * The native format: JSON objects, one per record or one per line. An object that names a source or
 * a target and nothing of a sample is an edge. After an object that cannot be parsed, reading goes
 * on at the next line.
 */
public final class NativeDecoder implements Decoder {
  private final JsonRecords records;

  /**
   * A decoder.
   *
   * @param graph the graph of everything read, whatever the records say; null = as they say
   */
  public NativeDecoder(@Nullable String graph) {
    this(graph, true);
  }

  /**
   * A decoder.
   *
   * @param plain whether plain objects may be read without the parser
   */
  NativeDecoder(@Nullable String graph, boolean plain) {
    this.records = new JsonRecords(new NativeObject(graph), false, plain);
  }

  static NativeDecoder create(IdentityConfig identity) {
    boolean graphOk = identity.graph() == null || identity.graph().value() != null;
    if (!graphOk || identity.node() != null || identity.peer() != null) {
      throw new ConfigException(
          "identity: native records name their node and peer; only graph.value can be set");
    }
    return new NativeDecoder(identity.graph() == null ? null : identity.graph().value());
  }

  @Override
  public void decode(RawRecord in, Output out) {
    records.decode(in, out);
  }
}
