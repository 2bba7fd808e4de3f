package io.faultline.cep;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.DeweyNumber;
import org.apache.flink.cep.nfa.sharedbuffer.Lockable;
import org.apache.flink.cep.nfa.sharedbuffer.NodeId;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferEdge;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNode;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNodeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Keeps long loops small. Flink numbers every event of a partial match by the whole way to it: a
 * loop of n events holds n*n/2 numbers, 20 GB at 100,000. The numbers tell branches apart. Where a
 * run has one partial match and each of its events one predecessor there are none, so that the
 * number of the run itself does as well.
 */
final class LongChains {
  /** Numbers shorter than this are left alone. */
  private static final int LONG = 8;

  private static final TypeSerializer<Lockable<SharedBufferNode>> NODE =
      new Lockable.LockableTypeSerializer<>(new SharedBufferNodeSerializer());
  private static final NodeId.NodeIdSerializer NODE_ID = new NodeId.NodeIdSerializer();
  private static final DeweyNumber.DeweyNumberSerializer NUMBER =
      DeweyNumber.DeweyNumberSerializer.INSTANCE;

  private LongChains() {}

  /**
   * One event with its one predecessor.
   *
   * @param holders of the event, and of the way to its predecessor
   */
  private record Link(int holders, int wayHolders, @Nullable NodeId before, DeweyNumber number) {
    Lockable<SharedBufferNode> numbered(DeweyNumber other) {
      SharedBufferNode node = new SharedBufferNode();
      node.getEdges().add(new Lockable<>(new SharedBufferEdge(before, other), wayHolders));
      return new Lockable<>(node, holders);
    }
  }

  /** To be called when the shared buffer has written the run's maps. */
  static void shorten(Run run) throws IOException {
    ComputationState only = only(run);
    if (only == null || only.getVersion().length() < LONG) {
      return;
    }
    DeweyNumber number = new DeweyNumber(only.getVersion().getRun());
    Map<NodeId, Lockable<SharedBufferNode>> numbered = new LinkedHashMap<>();
    NodeId at = only.getPreviousBufferEntry();
    while (at != null) {
      Link link = link(run.entries.get(at));
      if (link == null) {
        return;
      }
      if (link.number().length() == 1) {
        break;
      }
      numbered.put(at, link.numbered(number));
      at = link.before();
    }
    run.entries.putAll(numbered);
    Queue<ComputationState> partials = run.state.getPartialMatches();
    partials.remove(only);
    partials.add(
        ComputationState.createState(
            only.getCurrentStateName(),
            only.getPreviousBufferEntry(),
            number.addStage(),
            only.getStartTimestamp(),
            only.getPreviousTimestamp(),
            only.getStartEventID()));
  }

  /** The one partial match of a run that holds nothing else, or null. */
  @Nullable
  private static ComputationState only(Run run) {
    if (run.state.getPartialMatches().size() != 2 || !run.state.getCompletedMatches().isEmpty()) {
      return null;
    }
    ComputationState only = null;
    for (ComputationState partial : run.state.getPartialMatches()) {
      if (partial.getStartEventID() != null) {
        if (only != null) {
          return null;
        }
        only = partial;
      }
    }
    return only;
  }

  /**
   * What is written of an entry of the shared buffer, which keeps to itself what it holds; null
   * where it has several predecessors.
   */
  @Nullable
  private static Link link(@Nullable Lockable<SharedBufferNode> entry) throws IOException {
    if (entry == null || entry.getElement().getEdges().size() != 1) {
      return null;
    }
    DataOutputSerializer out = new DataOutputSerializer(128);
    NODE.serialize(entry, out);
    DataInputDeserializer in = new DataInputDeserializer(out.getSharedBuffer(), 0, out.length());
    int holders = in.readInt();
    int edges = in.readInt();
    if (edges != 1) {
      throw new IOException("an entry of the shared buffer is written in an unknown form");
    }
    return new Link(holders, in.readInt(), NODE_ID.deserialize(in), NUMBER.deserialize(in));
  }
}
