package io.faultline.sink;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.types.Row;

/**
 * Writes rows to files: {@code frames/frames.bin} as length (int32, little-endian) and bytes; every
 * other topic as {@code NAME.ndjson}, a line per row. A dead letter's line is an object with topic,
 * key, value and headers; every other line is the row's value.
 */
final class FileRowWriter implements SinkWriter<Row> {
  private final Path dir;
  private final Map<String, OutputStream> files = new HashMap<>();

  FileRowWriter(Path dir) {
    this.dir = dir;
  }

  @Override
  public void write(Row row, Context context) throws IOException {
    String topic = OutRow.topic(row);
    OutputStream out = files.get(topic);
    if (out == null) {
      out = open(topic);
      files.put(topic, out);
    }
    if (Topics.isFrames(topic)) {
      writeFrame(required(row), out);
    } else if (Topics.isDeadLetters(topic)) {
      out.write(DeadLetterLines.line(row));
      out.write('\n');
    } else {
      out.write(oneLine(required(row)));
      out.write('\n');
    }
  }

  private static byte[] required(Row row) {
    byte[] value = OutRow.value(row);
    if (value == null) {
      throw new IllegalArgumentException("a row for " + OutRow.topic(row) + " without a value");
    }
    return value;
  }

  private OutputStream open(String topic) throws IOException {
    Path file =
        Topics.isFrames(topic)
            ? dir.resolve("frames").resolve("frames.bin")
            : dir.resolve(Topics.shortName(topic) + ".ndjson");
    Files.createDirectories(file.getParent());
    if (Files.exists(file)) {
      if (Topics.isFrames(topic)) {
        FileTails.cutFrames(file);
      } else {
        FileTails.cutLines(file);
      }
    }
    return new BufferedOutputStream(
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  private static void writeFrame(byte[] value, OutputStream out) throws IOException {
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.write(length.putInt(value.length).array());
    out.write(value);
  }

  /** JSON has line breaks between its tokens only, where a space means the same. */
  private static byte[] oneLine(byte[] json) {
    byte[] out = json;
    for (int i = 0; i < json.length; i++) {
      if (json[i] == '\n' || json[i] == '\r') {
        out = out == json ? json.clone() : out;
        out[i] = ' ';
      }
    }
    return out;
  }

  @Override
  public void flush(boolean endOfInput) throws IOException {
    for (OutputStream out : files.values()) {
      out.flush();
    }
  }

  @Override
  public void close() throws IOException {
    IOException first = null;
    for (OutputStream out : files.values()) {
      try {
        out.close();
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    files.clear();
    if (first != null) {
      throw first;
    }
  }
}
