package io.faultline.cep;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.types.Row;

/** A row as patterns see it: fields by name, whatever the row itself knows of its names. */
public final class RowEvent extends Event {
  private final Row row;
  private final long time;
  private final Map<String, Integer> places;

  /**
   * @param row must not change any more
   * @param time event time, ms UTC
   * @param places of the fields by name; shared by all rows
   */
  public RowEvent(Row row, long time, Map<String, Integer> places) {
    this.row = row;
    this.time = time;
    this.places = places;
  }

  /** The places of fields in this order. */
  public static Map<String, Integer> places(List<String> names) {
    Map<String, Integer> places = new HashMap<>();
    names.forEach(name -> places.put(name, places.size()));
    return places;
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
    Integer place = places.get(name);
    return place == null ? null : row.getField(place);
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
