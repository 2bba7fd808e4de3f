package io.faultline.graph;

import io.faultline.records.NodeFrame;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * Which nodes of a graph have fallen silent while the others go on. One whose monitoring stops
 * altogether, or for most of its nodes, tells nothing of any of them.
 */
final class Presences {
  private final TreeMap<String, Presence> nodes = new TreeMap<>();

  /**
   * Takes the frames of a tick.
   *
   * @param time end of the tick, ms UTC
   * @param longest a node that has been away for so many of its usual gaps is no longer missed
   * @param silent takes, in order of their names, the nodes that have now been away for one more of
   *     their usual gaps
   */
  void tick(
      long time, Map<String, NodeFrame> frames, int longest, BiConsumer<String, Presence> silent) {
    Set<String> shown = new TreeSet<>();
    frames.forEach(
        (name, frame) -> {
          if (Presence.isSign(frame)) {
            shown.add(name);
          }
        });
    int came = 0;
    int missing = 0;
    for (Map.Entry<String, Presence> node : nodes.entrySet()) {
      if (shown.contains(node.getKey())) {
        came++;
      } else if (node.getValue().isDue(longest)) {
        missing++;
      }
    }
    boolean goesOn = came > 0 && came >= missing;
    nodes.forEach(
        (name, presence) -> {
          if (shown.contains(name)) {
            presence.came(time);
          } else if (goesOn) {
            int missed = presence.stayedAway();
            if (missed > 0 && missed <= longest) {
              silent.accept(name, presence);
            }
          }
        });
    shown.forEach(name -> nodes.computeIfAbsent(name, n -> new Presence(time)));
  }

  /** Forgets all but these nodes. */
  void retain(Set<String> names) {
    if (nodes.size() > names.size() || !names.containsAll(nodes.keySet())) {
      nodes.keySet().retainAll(names);
    }
  }

  Presences copy() {
    Presences copy = new Presences();
    nodes.forEach((name, presence) -> copy.nodes.put(name, presence.copy()));
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    out.writeInt(nodes.size());
    for (Map.Entry<String, Presence> node : nodes.entrySet()) {
      StringValue.writeString(node.getKey(), out);
      node.getValue().write(out);
    }
  }

  static Presences read(DataInputView in) throws IOException {
    Presences presences = new Presences();
    for (int i = in.readInt(); i > 0; i--) {
      presences.nodes.put(StringValue.readString(in), Presence.read(in));
    }
    return presences;
  }
}
