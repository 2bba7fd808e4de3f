package io.faultline.cep;

import java.util.Map;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.cep.nfa.sharedbuffer.EventId;
import org.apache.flink.cep.nfa.sharedbuffer.Lockable;
import org.apache.flink.cep.nfa.sharedbuffer.NodeId;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNode;

/**
 * The keyed state that Flink's shared buffer asks for, answered with the maps of the current run.
 * The buffer asks for three map states, by name; anything else means that Flink has changed.
 */
final class RunStateStore implements KeyedStateStore {
  private final SwappedMap<EventId, Lockable<Event>> events = new SwappedMap<>();
  private final SwappedMap<NodeId, Lockable<SharedBufferNode>> entries = new SwappedMap<>();
  private final SwappedMap<Long, Integer> counts = new SwappedMap<>();

  /** Puts the maps of this run under the states. */
  void use(Run run) {
    use(run.events, run.entries, run.counts);
  }

  void use(
      Map<EventId, Lockable<Event>> newEvents,
      Map<NodeId, Lockable<SharedBufferNode>> newEntries,
      Map<Long, Integer> newCounts) {
    events.use(newEvents);
    entries.use(newEntries);
    counts.use(newCounts);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <K, V> MapState<K, V> getMapState(MapStateDescriptor<K, V> descriptor) {
    return (MapState<K, V>)
        switch (descriptor.getName()) {
          case "sharedBuffer-events" -> events;
          case "sharedBuffer-entries-with-lockable-edges" -> entries;
          case "sharedBuffer-events-count" -> counts;
          default -> throw unknown(descriptor.getName());
        };
  }

  @Override
  public <T> ValueState<T> getState(ValueStateDescriptor<T> descriptor) {
    throw unknown(descriptor.getName());
  }

  @Override
  public <T> ListState<T> getListState(ListStateDescriptor<T> descriptor) {
    throw unknown(descriptor.getName());
  }

  @Override
  public <T> ReducingState<T> getReducingState(ReducingStateDescriptor<T> descriptor) {
    throw unknown(descriptor.getName());
  }

  @Override
  public <I, A, O> AggregatingState<I, O> getAggregatingState(
      AggregatingStateDescriptor<I, A, O> descriptor) {
    throw unknown(descriptor.getName());
  }

  @Override
  public <T> org.apache.flink.api.common.state.v2.ValueState<T> getValueState(
      org.apache.flink.api.common.state.v2.ValueStateDescriptor<T> descriptor) {
    throw unknown(descriptor.getStateId());
  }

  @Override
  public <T> org.apache.flink.api.common.state.v2.ListState<T> getListState(
      org.apache.flink.api.common.state.v2.ListStateDescriptor<T> descriptor) {
    throw unknown(descriptor.getStateId());
  }

  @Override
  public <K, V> org.apache.flink.api.common.state.v2.MapState<K, V> getMapState(
      org.apache.flink.api.common.state.v2.MapStateDescriptor<K, V> descriptor) {
    throw unknown(descriptor.getStateId());
  }

  @Override
  public <T> org.apache.flink.api.common.state.v2.ReducingState<T> getReducingState(
      org.apache.flink.api.common.state.v2.ReducingStateDescriptor<T> descriptor) {
    throw unknown(descriptor.getStateId());
  }

  @Override
  public <I, A, O> org.apache.flink.api.common.state.v2.AggregatingState<I, O> getAggregatingState(
      org.apache.flink.api.common.state.v2.AggregatingStateDescriptor<I, A, O> descriptor) {
    throw unknown(descriptor.getStateId());
  }

  @Override
  public String getBackendTypeIdentifier() {
    return "hashmap";
  }

  private static IllegalStateException unknown(String name) {
    return new IllegalStateException("the shared buffer asked for an unknown state: " + name);
  }
}
