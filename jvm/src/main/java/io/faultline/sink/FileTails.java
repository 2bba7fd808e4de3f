package io.faultline.sink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Cuts what a writer that was killed left half written at the end of a file, before another one
 * appends to it. Such a row was part of no checkpoint, so it comes again.
 */
final class FileTails {
  private static final int BLOCK = 8_192;

  private FileTails() {}

  /** Cuts a file of lines behind its last line break. */
  static void cutLines(Path file) throws IOException {
    try (FileChannel channel = open(file)) {
      channel.truncate(lastLineEnd(channel));
    }
  }

  /** Cuts a file of lengths (int32, little-endian) and bytes behind the last whole one. */
  static void cutFrames(Path file) throws IOException {
    try (FileChannel channel = open(file)) {
      ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      long end = 0;
      while (end + Integer.BYTES <= channel.size()) {
        readFully(channel, length.clear(), end);
        long next = end + Integer.BYTES + length.flip().getInt();
        if (next <= end || next > channel.size()) {
          break;
        }
        end = next;
      }
      channel.truncate(end);
    }
  }

  private static long lastLineEnd(FileChannel channel) throws IOException {
    for (long end = channel.size(); end > 0; ) {
      long from = Math.max(0, end - BLOCK);
      ByteBuffer block = ByteBuffer.allocate((int) (end - from));
      readFully(channel, block, from);
      for (int i = block.capacity() - 1; i >= 0; i--) {
        if (block.get(i) == '\n') {
          return from + i + 1;
        }
      }
      end = from;
    }
    return 0;
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static void readFully(FileChannel channel, ByteBuffer into, long from)
      throws IOException {
    long at = from;
    while (into.hasRemaining()) {
      int read = channel.read(into, at);
      if (read < 0) {
        throw new IOException("the file shrank while it was read");
      }
      at += read;
    }
  }
}
