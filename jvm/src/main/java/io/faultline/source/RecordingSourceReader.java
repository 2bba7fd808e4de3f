package io.faultline.source;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;

/** Reads the merged recordings, one decoded thing per poll. */
final class RecordingSourceReader implements SourceReader<Decoded, RecordingSplit> {
  private final SourceReaderContext context;
  private final List<String> paths;
  private final List<String> names;
  private final CompletableFuture<Void> available = new CompletableFuture<>();
  @Nullable private RecordingSplit assigned;
  @Nullable private MergedRecordings recordings;
  private List<Decoded> batch = List.of();
  private long[] batchPositions = {};
  private int emitted;
  private boolean noMoreSplits;

  RecordingSourceReader(SourceReaderContext context, List<String> paths, List<String> names) {
    this.context = context;
    this.paths = paths;
    this.names = names;
  }

  @Override
  public void start() {
    // The split comes by itself.
  }

  @Override
  public void addSplits(List<RecordingSplit> splits) {
    assigned = splits.get(0);
    available.complete(null);
  }

  @Override
  public void notifyNoMoreSplits() {
    noMoreSplits = true;
    available.complete(null);
  }

  @Override
  public InputStatus pollNext(ReaderOutput<Decoded> output) throws IOException {
    if (assigned == null) {
      return noMoreSplits ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }
    if (recordings == null) {
      open(assigned);
    }
    if (emitted >= batch.size()) {
      nextBatch();
      emitted = 0;
    }
    if (batch.isEmpty()) {
      return InputStatus.END_OF_INPUT;
    }
    Decoded next = batch.get(emitted++);
    output.collect(next, next.time());
    return InputStatus.MORE_AVAILABLE;
  }

  private void open(RecordingSplit split) throws IOException {
    DecodeCounters counters = new DecodeCounters(context.metricGroup());
    recordings = new MergedRecordings(paths, names, split.positions(), counters);
    if (split.emitted() > 0) {
      nextBatch();
    }
    emitted = split.emitted();
  }

  private void nextBatch() throws IOException {
    batchPositions = recordings.positions();
    batch = recordings.next();
  }

  @Override
  public List<RecordingSplit> snapshotState(long checkpointId) {
    if (assigned == null) {
      return List.of();
    }
    return List.of(recordings == null ? assigned : new RecordingSplit(batchPositions, emitted));
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return available;
  }

  @Override
  public void close() throws IOException {
    if (recordings != null) {
      recordings.close();
    }
  }
}
