package io.faultline.cep;

import io.faultline.records.SeriesKeys;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/** The samples that the runs of one node hold, each once, and their series, each once. */
final class SampleTable extends EventTable {
  static final Form FORM =
      new Form() {
        @Override
        public EventTable empty() {
          return new SampleTable();
        }

        @Override
        public EventTable read(DataInputView in) throws IOException {
          return SampleTable.readTable(in);
        }
      };

  @Override
  void write(DataOutputView out) throws IOException {
    Map<SeriesRef, Integer> series = new IdentityHashMap<>();
    List<SeriesRef> order = new ArrayList<>();
    for (Event event : events) {
      SampleEvent e = (SampleEvent) event;
      if (series.putIfAbsent(e.series(), order.size()) == null) {
        order.add(e.series());
      }
    }
    out.writeInt(order.size());
    for (SeriesRef ref : order) {
      writeSeries(ref, out);
    }
    out.writeInt(events.size());
    for (Event event : events) {
      SampleEvent e = (SampleEvent) event;
      out.writeInt(series.get(e.series()));
      writeEvent(e, out);
    }
  }

  private static SampleTable readTable(DataInputView in) throws IOException {
    SeriesRef[] series = new SeriesRef[in.readInt()];
    for (int i = 0; i < series.length; i++) {
      series[i] = readSeries(in);
    }
    SampleTable table = new SampleTable();
    int n = in.readInt();
    for (int i = 0; i < n; i++) {
      table.events.add(readEvent(series[in.readInt()], in));
    }
    return table;
  }

  private static void writeSeries(SeriesRef ref, DataOutputView out) throws IOException {
    StringValue.writeString(ref.graph(), out);
    StringValue.writeString(ref.node(), out);
    SeriesKeys.write(ref.key(), out);
    out.writeByte(ref.signal().ordinal());
    StringValue.writeString(ref.unit(), out);
  }

  private static SeriesRef readSeries(DataInputView in) throws IOException {
    return new SeriesRef(
        StringValue.readString(in),
        StringValue.readString(in),
        SeriesKeys.read(in),
        Signal.ofIndex(in.readByte()),
        StringValue.readString(in));
  }

  private static void writeEvent(SampleEvent e, DataOutputView out) throws IOException {
    out.writeLong(e.time());
    out.writeDouble(e.value());
    out.writeDouble(e.z());
    out.writeDouble(e.baseline());
    out.writeDouble(e.spread());
    out.writeDouble(e.delta());
    out.writeDouble(e.rel());
  }

  private static SampleEvent readEvent(SeriesRef series, DataInputView in) throws IOException {
    return new SampleEvent()
        .set(
            series,
            in.readLong(),
            in.readDouble(),
            in.readDouble(),
            in.readDouble(),
            in.readDouble(),
            in.readDouble(),
            in.readDouble());
  }
}
