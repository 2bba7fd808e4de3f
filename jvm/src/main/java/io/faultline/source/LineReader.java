package io.faultline.source;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import javax.annotation.Nullable;

/** Lines of a gzip file as bytes, without their line feed. */
final class LineReader implements Closeable {
  private static final int BUFFER = 1 << 16;

  private final Path path;
  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER];
  private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
  private int at;
  private int end;

  LineReader(Path path) throws IOException {
    this.path = path;
    InputStream raw = Files.newInputStream(path);
    try {
      this.in = new GZIPInputStream(raw, BUFFER);
    } catch (IOException e) {
      raw.close();
      throw damaged(e);
    }
  }

  /** The next line, or null at the end of the file. */
  @Nullable
  byte[] next() throws IOException {
    rest.reset();
    boolean any = false;
    while (at < end || refill()) {
      any = true;
      int from = at;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      rest.write(buffer, from, at - from);
      if (at < end) {
        at++;
        return rest.toByteArray();
      }
    }
    return any ? rest.toByteArray() : null;
  }

  private boolean refill() throws IOException {
    try {
      at = 0;
      end = Math.max(0, in.read(buffer, 0, BUFFER));
      return end > 0;
    } catch (IOException e) {
      throw damaged(e);
    }
  }

  private IOException damaged(IOException e) {
    return new IOException("recording file " + path + " is damaged or cut off: " + e, e);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
