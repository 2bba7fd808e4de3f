package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import java.util.HashMap;
import java.util.Map;

/**
 * What was worked out about resources, scopes, metrics and attributes, by their bytes. Emptied
 * between two records once it has grown past a limit, so that a sender of ever new attributes costs
 * time and not memory.
 */
final class OtlpCache {
  private static final int LIMIT = 1_000_000;
  private static final int RESOURCE_ATTRIBUTES = 1;
  private static final int SCOPE_NAME = 1;
  private static final int SCOPE_ATTRIBUTES = 3;

  private final BytesMap<BytesMap<OtlpScope>> resources = new BytesMap<>();
  private final Interner<String> names = new Interner<>(LIMIT);
  private int entries;

  void count() {
    entries++;
  }

  String intern(String name) {
    return names.intern(name);
  }

  /** Called between two records. */
  void trim() {
    if (entries > LIMIT) {
      resources.clear();
      entries = 0;
    }
  }

  /** The scope with these bytes of the resource with those bytes. */
  OtlpScope scope(byte[] buffer, Range resource, Range scope) throws WireException {
    BytesMap<OtlpScope> scopes = resources.get(buffer, resource.from(), resource.to());
    if (scopes == null) {
      scopes = new BytesMap<>();
      resources.put(buffer, resource.from(), resource.to(), scopes);
    }
    OtlpScope found = scopes.get(buffer, scope.from(), scope.to());
    if (found == null) {
      found = read(buffer, resource, scope);
      scopes.put(buffer, scope.from(), scope.to(), found);
      count();
    }
    return found;
  }

  private OtlpScope read(byte[] buffer, Range resource, Range scope) throws WireException {
    Map<String, String> attributes = new HashMap<>();
    OtlpAttributes.read(buffer, resource.from(), resource.to(), RESOURCE_ATTRIBUTES, attributes);
    Map<String, String> scopeAttributes = new HashMap<>();
    OtlpAttributes.read(buffer, scope.from(), scope.to(), SCOPE_ATTRIBUTES, scopeAttributes);
    String name = "";
    Wire wire = new Wire().over(buffer, scope.from(), scope.to());
    while (wire.next()) {
      name = wire.field == SCOPE_NAME ? wire.text() : name;
    }
    return new OtlpScope(attributes, OtlpIdentity.labels(attributes, name, scopeAttributes), this);
  }

  /** A range of bytes; empty where the message is not there. */
  record Range(int from, int to) {
    static final Range NONE = new Range(0, 0);
  }
}
