package io.faultline.cep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The events that the runs of one key hold, each once. */
abstract class EventTable {
  /** How the events of one kind are written. */
  interface Form {
    EventTable empty();

    EventTable read(DataInputView in) throws IOException;
  }

  final List<Event> events = new ArrayList<>();
  private final Map<Event, Integer> places = new IdentityHashMap<>();

  final void add(Event event) {
    if (places.putIfAbsent(event, events.size()) == null) {
      events.add(event);
    }
  }

  final int place(Event event) {
    return places.get(event);
  }

  final Event event(int place) {
    return events.get(place);
  }

  abstract void write(DataOutputView out) throws IOException;
}
