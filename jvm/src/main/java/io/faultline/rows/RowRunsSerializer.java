package io.faultline.rows;

import io.faultline.cep.KeyRuns;
import io.faultline.cep.KeyRunsSerializer;
import io.faultline.cep.RowEvent;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Row;
import org.apache.flink.types.StringValue;

/**
 * Active runs over rows of one type. What Flink allows of a row's type to change, may change. Names
 * of fields are kept here, since what Flink restores of a row's serializer knows none.
 */
public final class RowRunsSerializer extends TypeSerializer<KeyRuns> {
  private final TypeSerializer<Row> rows;
  private final List<String> names;
  private transient KeyRunsSerializer runs;

  /**
   * @param names of the fields of the rows, in order
   */
  public RowRunsSerializer(TypeSerializer<Row> rows, List<String> names) {
    this.rows = rows;
    this.names = List.copyOf(names);
  }

  private KeyRunsSerializer runs() {
    if (runs == null) {
      runs = KeyRunsSerializer.ofRows(rows, RowEvent.places(names));
    }
    return runs;
  }

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public TypeSerializer<KeyRuns> duplicate() {
    return new RowRunsSerializer(rows.duplicate(), names);
  }

  @Override
  public KeyRuns createInstance() {
    return runs().createInstance();
  }

  @Override
  public KeyRuns copy(KeyRuns from) {
    return runs().copy(from);
  }

  @Override
  public KeyRuns copy(KeyRuns from, KeyRuns reuse) {
    return copy(from);
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(KeyRuns record, DataOutputView target) throws IOException {
    runs().serialize(record, target);
  }

  @Override
  public KeyRuns deserialize(DataInputView source) throws IOException {
    return runs().deserialize(source);
  }

  @Override
  public KeyRuns deserialize(KeyRuns reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowRunsSerializer that
        && that.rows.equals(rows)
        && that.names.equals(names);
  }

  @Override
  public int hashCode() {
    return rows.hashCode();
  }

  @Override
  public TypeSerializerSnapshot<KeyRuns> snapshotConfiguration() {
    return new Snapshot(this);
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot
      extends CompositeTypeSerializerSnapshot<KeyRuns, RowRunsSerializer> {
    private List<String> names = List.of();

    public Snapshot() {}

    Snapshot(RowRunsSerializer serializer) {
      super(serializer);
      names = serializer.names;
    }

    @Override
    protected void writeOuterSnapshot(DataOutputView out) throws IOException {
      out.writeInt(names.size());
      for (String name : names) {
        StringValue.writeString(name, out);
      }
    }

    @Override
    protected void readOuterSnapshot(int version, DataInputView in, ClassLoader loader)
        throws IOException {
      String[] read = new String[in.readInt()];
      for (int i = 0; i < read.length; i++) {
        read[i] = StringValue.readString(in);
      }
      names = List.of(read);
    }

    @Override
    protected int getCurrentOuterSnapshotVersion() {
      return 1;
    }

    @Override
    protected TypeSerializer<?>[] getNestedSerializers(RowRunsSerializer serializer) {
      return new TypeSerializer<?>[] {serializer.rows};
    }

    @Override
    @SuppressWarnings("unchecked")
    protected RowRunsSerializer createOuterSerializerWithNestedSerializers(
        TypeSerializer<?>[] nested) {
      return new RowRunsSerializer((TypeSerializer<Row>) nested[0], names);
    }
  }
}
