package io.faultline.source;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/** Gives the one split to the first reader that comes. */
final class RecordingEnumerator implements SplitEnumerator<RecordingSplit, RecordingSplit> {
  private final SplitEnumeratorContext<RecordingSplit> context;
  @Nullable private RecordingSplit unassigned;

  RecordingEnumerator(
      SplitEnumeratorContext<RecordingSplit> context, @Nullable RecordingSplit unassigned) {
    this.context = context;
    this.unassigned = unassigned;
  }

  @Override
  public void start() {
    // Readers announce themselves.
  }

  @Override
  public void handleSplitRequest(int reader, @Nullable String host) {
    // Readers do not ask; see addReader.
  }

  @Override
  public void addSplitsBack(List<RecordingSplit> splits, int reader) {
    if (!splits.isEmpty()) {
      unassigned = splits.get(0);
    }
    if (context.registeredReaders().containsKey(reader)) {
      addReader(reader);
    }
  }

  @Override
  public void addReader(int reader) {
    if (unassigned != null) {
      context.assignSplit(unassigned, reader);
      unassigned = null;
    }
    context.signalNoMoreSplits(reader);
  }

  @Override
  public RecordingSplit snapshotState(long checkpointId) {
    return unassigned == null ? RecordingSplit.ASSIGNED : unassigned;
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}
