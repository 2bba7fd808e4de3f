package io.faultline.sink;

import java.nio.file.Path;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.types.Row;

/**
 * Rows to flat files in one folder, one file per topic; runs with parallelism 1. What was there
 * before is kept and appended to, but for a last row that is not whole. Rows are on disk when a
 * checkpoint completes and when the job ends. Delivery is at least once: after a restart the rows
 * since the last checkpoint come again, and their ids tell.
 */
public final class FileRows implements Sink<Row> {
  private final String dir;

  public FileRows(String dir) {
    this.dir = dir;
  }

  @Override
  public SinkWriter<Row> createWriter(WriterInitContext context) {
    return new FileRowWriter(Path.of(dir));
  }
}
