package io.faultline.graph;

import io.faultline.cep.Calls;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * The topology as it is at one time, for the conditions of patterns.
 *
 * @param time ms UTC
 */
record LiveCalls(Topology topology, long time) implements Calls {
  @Override
  public boolean calls(String caller, String callee) {
    return topology.isLive(caller, callee, time);
  }

  @Override
  public boolean reaches(String caller, String callee) {
    Set<String> seen = new HashSet<>();
    Deque<String> next = new ArrayDeque<>();
    next.add(caller);
    while (!next.isEmpty()) {
      for (String node : topology.calledBy(next.poll(), time)) {
        if (node.equals(callee)) {
          return true;
        }
        if (seen.add(node)) {
          next.add(node);
        }
      }
    }
    return false;
  }
}
