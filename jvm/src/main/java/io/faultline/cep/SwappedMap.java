package io.faultline.cep;

import java.util.Iterator;
import java.util.Map;
import org.apache.flink.api.common.state.MapState;

/** A map state over whichever map of the current run was put under it. */
final class SwappedMap<K, V> implements MapState<K, V> {
  private Map<K, V> map;

  void use(Map<K, V> map) {
    this.map = map;
  }

  @Override
  public V get(K key) {
    return map.get(key);
  }

  @Override
  public void put(K key, V value) {
    map.put(key, value);
  }

  @Override
  public void putAll(Map<K, V> values) {
    map.putAll(values);
  }

  @Override
  public void remove(K key) {
    map.remove(key);
  }

  @Override
  public boolean contains(K key) {
    return map.containsKey(key);
  }

  @Override
  public Iterable<Map.Entry<K, V>> entries() {
    return map.entrySet();
  }

  @Override
  public Iterable<K> keys() {
    return map.keySet();
  }

  @Override
  public Iterable<V> values() {
    return map.values();
  }

  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return map.entrySet().iterator();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  @Override
  public void clear() {
    map.clear();
  }
}
