package io.faultline.source;

import io.faultline.records.Versions;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The one split of the recordings, with how far it was read. The enumerator's state is the split it
 * still has to assign, or {@link #ASSIGNED}.
 *
 * @param positions of each file, up to the current batch; empty = nothing was read
 * @param emitted how much of the current batch was handed on; -1 = the split was assigned
 */
record RecordingSplit(long[] positions, int emitted) implements SourceSplit {
  static final RecordingSplit START = new RecordingSplit(new long[0], 0);
  static final RecordingSplit ASSIGNED = new RecordingSplit(new long[0], -1);
  static final SimpleVersionedSerializer<RecordingSplit> SERIALIZER = new Serializer();

  boolean isAssigned() {
    return emitted < 0;
  }

  @Override
  public String splitId() {
    return "recordings";
  }

  private static final class Serializer implements SimpleVersionedSerializer<RecordingSplit> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(RecordingSplit split) throws IOException {
      DataOutputSerializer out = new DataOutputSerializer(16 + 8 * split.positions.length);
      out.writeInt(split.positions.length);
      for (long position : split.positions) {
        out.writeLong(position);
      }
      out.writeInt(split.emitted);
      return out.getCopyOfBuffer();
    }

    @Override
    public RecordingSplit deserialize(int version, byte[] bytes) throws IOException {
      Versions.expect(version, VERSION, "recording split");
      DataInputDeserializer in = new DataInputDeserializer(bytes);
      long[] positions = new long[in.readInt()];
      for (int i = 0; i < positions.length; i++) {
        positions[i] = in.readLong();
      }
      return new RecordingSplit(positions, in.readInt());
    }
  }
}
