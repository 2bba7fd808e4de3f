package io.faultline.cep;

import java.io.IOException;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Row;

/** The rows that the runs of one key hold, each once. */
final class RowTable extends EventTable {
  private final TypeSerializer<Row> rows;

  private RowTable(TypeSerializer<Row> rows) {
    this.rows = rows;
  }

  static Form form(TypeSerializer<Row> rows, Map<String, Integer> places) {
    return new Form() {
      @Override
      public EventTable empty() {
        return new RowTable(rows);
      }

      @Override
      public EventTable read(DataInputView in) throws IOException {
        RowTable table = new RowTable(rows);
        for (int i = in.readInt(); i > 0; i--) {
          long time = in.readLong();
          table.events.add(new RowEvent(rows.deserialize(in), time, places));
        }
        return table;
      }
    };
  }

  @Override
  void write(DataOutputView out) throws IOException {
    out.writeInt(events.size());
    for (Event event : events) {
      out.writeLong(event.time());
      rows.serialize(((RowEvent) event).row(), out);
    }
  }
}
