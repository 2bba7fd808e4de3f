package io.faultline.cep;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/** The matches and edges that the runs of one graph hold, each once. */
final class SightTable extends EventTable {
  static final Form FORM =
      new Form() {
        @Override
        public EventTable empty() {
          return new SightTable();
        }

        @Override
        public EventTable read(DataInputView in) throws IOException {
          SightTable table = new SightTable();
          for (int i = in.readInt(); i > 0; i--) {
            table.events.add(readSight(in));
          }
          return table;
        }
      };

  @Override
  void write(DataOutputView out) throws IOException {
    out.writeInt(events.size());
    for (Event event : events) {
      write((GraphSight) event, out);
    }
  }

  private static void write(GraphSight sight, DataOutputView out) throws IOException {
    out.writeByte(sight.kind().ordinal());
    out.writeLong(sight.time());
    StringValue.writeString(sight.graph(), out);
    StringValue.writeString(sight.node(), out);
    StringValue.writeString(sight.peer(), out);
    GraphSight.Source source = sight.source();
    out.writeBoolean(source != null);
    if (source == null) {
      return;
    }
    StringValue.writeString(source.pattern(), out);
    out.writeInt(source.version());
    StringValue.writeString(source.severity(), out);
    StringValue.writeString(source.signal(), out);
    StringValue.writeString(source.metric(), out);
    StringValue.writeString(source.unit(), out);
    out.writeDouble(source.value());
    out.writeDouble(source.z());
    out.writeLong(source.start());
    out.writeLong(source.end());
  }

  private static GraphSight readSight(DataInputView in) throws IOException {
    GraphSight.Kind kind = GraphSight.Kind.values()[in.readByte()];
    long time = in.readLong();
    String graph = StringValue.readString(in);
    String node = StringValue.readString(in);
    String peer = StringValue.readString(in);
    GraphSight.Source source = in.readBoolean() ? readSource(in) : null;
    return new GraphSight(kind, time, graph, node, peer, source, Calls.NONE);
  }

  private static GraphSight.Source readSource(DataInputView in) throws IOException {
    return new GraphSight.Source(
        StringValue.readString(in),
        in.readInt(),
        StringValue.readString(in),
        StringValue.readString(in),
        StringValue.readString(in),
        StringValue.readString(in),
        in.readDouble(),
        in.readDouble(),
        in.readLong(),
        in.readLong());
  }
}
