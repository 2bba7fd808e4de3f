package io.faultline.cep;

import io.faultline.records.CompactSerializer;
import io.faultline.records.SeriesKey;
import io.faultline.records.SeriesKeys;
import io.faultline.records.Versions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.NFAStateSerializer;
import org.apache.flink.cep.nfa.sharedbuffer.EventId;
import org.apache.flink.cep.nfa.sharedbuffer.Lockable;
import org.apache.flink.cep.nfa.sharedbuffer.NodeId;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNode;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNodeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Row;
import org.apache.flink.types.StringValue;

/**
 * Version 1: version, number of runs; where there are any, the table of events, then per run its
 * identity, Flink's automaton state and the three maps of its shared buffer, in the forms of
 * Flink's own serializers. Where Flink changes one of those, the golden file fails: raise the
 * version.
 */
public final class KeyRunsSerializer extends CompactSerializer<KeyRuns> {
  /** Runs over samples. */
  public static final KeyRunsSerializer INSTANCE = new KeyRunsSerializer(SampleTable.FORM);

  /** Runs over the matches and edges of a graph; a part of that graph's state. */
  public static final KeyRunsSerializer OF_GRAPHS = new KeyRunsSerializer(SightTable.FORM);

  private static final int VERSION = 1;
  private static final NFAStateSerializer STATE = new NFAStateSerializer();
  private static final NodeId.NodeIdSerializer NODE_ID = new NodeId.NodeIdSerializer();
  private static final EventId.EventIdSerializer EVENT_ID = EventId.EventIdSerializer.INSTANCE;
  private static final TypeSerializer<Lockable<SharedBufferNode>> NODE =
      new Lockable.LockableTypeSerializer<>(new SharedBufferNodeSerializer());

  private final transient EventTable.Form form;

  private KeyRunsSerializer(EventTable.Form form) {
    this.form = form;
  }

  /**
   * Runs over plain rows; a part of the state of those who keep them.
   *
   * @param places of the fields by name
   */
  public static KeyRunsSerializer ofRows(TypeSerializer<Row> rows, Map<String, Integer> places) {
    return new KeyRunsSerializer(RowTable.form(rows, places));
  }

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public KeyRuns createInstance() {
    return new KeyRuns();
  }

  /** A deep copy: Flink's automaton changes its state in place. */
  @Override
  public KeyRuns copy(KeyRuns from) {
    if (from.isEmpty()) {
      return new KeyRuns();
    }
    try {
      DataOutputSerializer out = new DataOutputSerializer(256);
      serialize(from, out);
      return deserialize(new DataInputDeserializer(out.getSharedBuffer(), 0, out.length()));
    } catch (IOException e) {
      throw new IllegalStateException("active runs could not be copied", e);
    }
  }

  @Override
  public void serialize(KeyRuns runs, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    List<Run> all = new ArrayList<>(4);
    runs.each(all::add);
    out.writeInt(all.size());
    if (all.isEmpty()) {
      return;
    }
    EventTable table = form.empty();
    all.forEach(run -> run.writtenEvents().values().forEach(e -> table.add(e.getElement())));
    table.write(out);
    TypeSerializer<Lockable<Event>> events = events(table);
    for (Run run : all) {
      writeRun(run, events, out);
    }
  }

  @Override
  public KeyRuns deserialize(DataInputView in) throws IOException {
    Versions.expect(in.readByte(), VERSION, "active runs");
    KeyRuns runs = new KeyRuns();
    int n = in.readInt();
    if (n > 0) {
      TypeSerializer<Lockable<Event>> events = events(form.read(in));
      for (int i = 0; i < n; i++) {
        runs.add(readRun(events, in));
      }
    }
    return runs;
  }

  private static TypeSerializer<Lockable<Event>> events(EventTable table) {
    return new Lockable.LockableTypeSerializer<>(new EventSerializer(table));
  }

  private static void writeRun(Run run, TypeSerializer<Lockable<Event>> events, DataOutputView out)
      throws IOException {
    StringValue.writeString(run.pattern, out);
    out.writeInt(run.version);
    out.writeBoolean(run.series != null);
    if (run.series != null) {
      SeriesKeys.write(run.series, out);
    }
    STATE.serialize(run.state, out);
    writeMap(run.writtenEvents(), EVENT_ID, events, out);
    writeMap(run.entries, NODE_ID, NODE, out);
    writeMap(run.counts, LongSerializer.INSTANCE, IntSerializer.INSTANCE, out);
  }

  private static Run readRun(TypeSerializer<Lockable<Event>> events, DataInputView in)
      throws IOException {
    String pattern = StringValue.readString(in);
    int version = in.readInt();
    SeriesKey series = in.readBoolean() ? SeriesKeys.read(in) : null;
    NFAState state = STATE.deserialize(in);
    return new Run(
            pattern,
            version,
            series,
            state,
            readMap(EVENT_ID, events, in),
            readMap(NODE_ID, NODE, in),
            readMap(LongSerializer.INSTANCE, IntSerializer.INSTANCE, in))
        .restored();
  }

  private static <K, V> void writeMap(
      Map<K, V> map, TypeSerializer<K> keys, TypeSerializer<V> values, DataOutputView out)
      throws IOException {
    out.writeInt(map.size());
    for (Map.Entry<K, V> entry : map.entrySet()) {
      keys.serialize(entry.getKey(), out);
      values.serialize(entry.getValue(), out);
    }
  }

  private static <K, V> Map<K, V> readMap(
      TypeSerializer<K> keys, TypeSerializer<V> values, DataInputView in) throws IOException {
    int n = in.readInt();
    Map<K, V> map = new HashMap<>(Math.max(4, n * 2));
    for (int i = 0; i < n; i++) {
      K key = keys.deserialize(in);
      map.put(key, values.deserialize(in));
    }
    return map;
  }

  @Override
  public TypeSerializerSnapshot<KeyRuns> snapshotConfiguration() {
    if (this != INSTANCE) {
      throw new UnsupportedOperationException("part of another state");
    }
    return new Snapshot();
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<KeyRuns> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
