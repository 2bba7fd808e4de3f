package io.faultline.records;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Base of the hand-written serializers. Values are immutable unless a subclass says otherwise, so a
 * copy is the value itself.
 */
public abstract class CompactSerializer<T> extends TypeSerializerSingleton<T> {
  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public T createInstance() {
    return null;
  }

  @Override
  public T copy(T from) {
    return from;
  }

  @Override
  public T copy(T from, T reuse) {
    return copy(from);
  }

  @Override
  public T deserialize(T reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public int getLength() {
    return -1;
  }
}
