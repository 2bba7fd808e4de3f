package io.faultline.cep;

import javax.annotation.Nullable;
import org.apache.flink.types.Row;

/** A row with named fields as patterns see it. */
public final class RowEvent extends Event {
  private final Row row;
  private final long time;

  /**
   * @param row with named fields; must not change any more
   * @param time event time, ms UTC
   */
  public RowEvent(Row row, long time) {
    this.row = row;
    this.time = time;
  }

  public Row row() {
    return row;
  }

  @Override
  public long time() {
    return time;
  }

  @Nullable
  Object value(String name) {
    return row.getField(name);
  }

  @Override
  Event copy() {
    return this;
  }

  @Override
  public String toString() {
    return row + "@" + time;
  }
}
