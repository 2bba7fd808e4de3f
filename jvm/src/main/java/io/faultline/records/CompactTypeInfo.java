package io.faultline.records;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Type information that names one hand-written serializer, so that Kryo is never asked. */
public final class CompactTypeInfo<T> extends TypeInformation<T> {
  private final Class<T> type;
  private final CompactSerializer<T> serializer;

  public CompactTypeInfo(Class<T> type, CompactSerializer<T> serializer) {
    this.type = type;
    this.serializer = serializer;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public Class<T> getTypeClass() {
    return type;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return serializer;
  }

  @Override
  public String toString() {
    return "CompactTypeInfo(" + type.getSimpleName() + ")";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CompactTypeInfo<?> that && that.type == type;
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof CompactTypeInfo;
  }
}
