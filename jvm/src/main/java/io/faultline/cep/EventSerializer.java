package io.faultline.cep;

import io.faultline.records.CompactSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes a sample as its place in a table that the runs of a node share: a sample that several runs
 * hold is stored once, and so is what samples of one series have in common.
 */
final class EventSerializer extends CompactSerializer<Event> {
  /** For the shared buffer, which names a serializer but never uses it on a hosted store. */
  static final EventSerializer REFUSING = new EventSerializer(null);

  private final transient EventTable table;

  EventSerializer(EventTable table) {
    this.table = table;
  }

  @Override
  public void serialize(Event event, DataOutputView out) throws IOException {
    out.writeInt(table().place(event));
  }

  @Override
  public Event deserialize(DataInputView in) throws IOException {
    return table().event(in.readInt());
  }

  private EventTable table() {
    if (table == null) {
      throw new IllegalStateException("samples are written with the runs of their node only");
    }
    return table;
  }

  @Override
  public TypeSerializerSnapshot<Event> snapshotConfiguration() {
    throw new UnsupportedOperationException("part of the form of the runs of a node");
  }
}
