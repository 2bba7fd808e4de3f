package io.faultline.source;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Recordings merged by event time. Each folder has {@code samples.ndjson.gz} and may have {@code
 * edges.ndjson.gz}, both in time order. At one time edges come before samples, and recordings come
 * in the order given.
 */
final class MergedRecordings implements Closeable {
  private static final String EDGES = "edges.ndjson.gz";
  private static final String SAMPLES = "samples.ndjson.gz";

  private final List<Input> inputs = new ArrayList<>();
  private final PriorityQueue<Input> queue =
      new PriorityQueue<>(
          Comparator.comparingLong((Input i) -> i.file.time()).thenComparingInt(i -> i.rank));

  /**
   * Opens all files.
   *
   * @param positions where each file starts, from {@link #positions()}; empty = at its beginning
   */
  MergedRecordings(
      List<String> paths, List<String> names, long[] positions, DecodeCounters counters)
      throws IOException {
    List<Path> files = files(paths);
    if (positions.length != 0 && positions.length != files.size()) {
      throw new IOException(
          positions.length + " positions were saved, " + files.size() + " files are configured");
    }
    for (int i = 0; i < files.size(); i++) {
      String graph = names.isEmpty() ? null : names.get(i % paths.size());
      long position = positions.length == 0 ? 0L : positions[i];
      Input input = new Input(i, open(files.get(i), graph, counters, position));
      inputs.add(input);
      advance(input);
    }
  }

  /** All files of edges, then all files of samples; null stands for edges that are not there. */
  private static List<Path> files(List<String> paths) throws IOException {
    List<Path> out = new ArrayList<>();
    for (String path : paths) {
      out.add(Path.of(path, EDGES));
    }
    for (String path : paths) {
      Path samples = Path.of(path, SAMPLES);
      if (!Files.isRegularFile(samples)) {
        throw new IOException("recording " + path + " has no " + SAMPLES);
      }
      out.add(samples);
    }
    return out;
  }

  private static RecordingFile open(Path path, String graph, DecodeCounters counters, long position)
      throws IOException {
    boolean there = Files.isRegularFile(path);
    return there ? new RecordingFile(path, graph, counters, position) : null;
  }

  private void advance(Input input) throws IOException {
    if (input.file != null && input.file.next()) {
      queue.add(input);
    }
  }

  /** The next batch in event time; empty at the end of all files. */
  List<Decoded> next() throws IOException {
    Input first = queue.poll();
    if (first == null) {
      return List.of();
    }
    List<Decoded> batch = first.file.take();
    advance(first);
    return batch;
  }

  /** How far each file was read, up to the batch that {@link #next} will give. */
  long[] positions() {
    return inputs.stream().mapToLong(i -> i.file == null ? 0L : i.file.position()).toArray();
  }

  @Override
  public void close() throws IOException {
    for (Input input : inputs) {
      if (input.file != null) {
        input.file.close();
      }
    }
  }

  private record Input(int rank, RecordingFile file) {}
}
