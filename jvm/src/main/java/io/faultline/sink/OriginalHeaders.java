package io.faultline.sink;

import io.faultline.records.Header;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The headers that a dead letter's record came with, on their way through a row to the sinks. Names
 * may repeat and values are bytes, so they do not fit into the row's own headers: they ride there
 * as one entry, and the sinks take them out.
 */
final class OriginalHeaders {
  /** No Kafka client writes a header of this name. */
  private static final String ENTRY = "\u0000original";

  private static final String OURS = "faultline.";
  private static final String RENAMED = "original.";

  private OriginalHeaders() {}

  static boolean is(String name) {
    return name.equals(ENTRY);
  }

  /** Adds them to the headers of a row; what bears a name of ours is renamed. */
  static void put(List<Header> originals, Map<String, String> headers) {
    if (originals.isEmpty()) {
      return;
    }
    try {
      DataOutputSerializer out = new DataOutputSerializer(256);
      out.writeInt(originals.size());
      for (Header header : originals) {
        String name = header.name();
        out.writeUTF(name.startsWith(OURS) ? RENAMED + name : name);
        out.writeInt(header.value() == null ? -1 : header.value().length);
        out.write(header.value() == null ? new byte[0] : header.value());
      }
      headers.put(ENTRY, Base64.getEncoder().encodeToString(out.getCopyOfBuffer()));
    } catch (IOException e) {
      throw new IllegalStateException("headers could not be encoded", e);
    }
  }

  /** Those of a row, in order; none where it has none. */
  static List<Header> of(Map<String, String> headers) {
    String entry = headers.get(ENTRY);
    if (entry == null) {
      return List.of();
    }
    try {
      DataInputDeserializer in = new DataInputDeserializer(Base64.getDecoder().decode(entry));
      Header[] originals = new Header[in.readInt()];
      for (int i = 0; i < originals.length; i++) {
        String name = in.readUTF();
        int length = in.readInt();
        byte[] value = length < 0 ? null : new byte[length];
        if (value != null) {
          in.readFully(value);
        }
        originals[i] = new Header(name, value);
      }
      return List.of(originals);
    } catch (IOException e) {
      throw new IllegalStateException("headers could not be decoded", e);
    }
  }
}
