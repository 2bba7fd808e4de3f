package io.faultline.decode;

import javax.annotation.Nullable;

/**
 * One record as it came.
 *
 * @param topic a topic, or a recording's file
 * @param offset in the partition, or the line in the file, from 0
 * @param timestamp of the record as the broker has it, ms UTC; {@link #NO_TIMESTAMP} = none
 * @param value null = a tombstone
 * @param headers never null
 */
public record RawRecord(
    String topic,
    int partition,
    long offset,
    long timestamp,
    @Nullable byte[] key,
    @Nullable byte[] value,
    Headers headers) {
  public static final long NO_TIMESTAMP = -1L;

  /** A record without headers. */
  public RawRecord(
      String topic,
      int partition,
      long offset,
      long timestamp,
      @Nullable byte[] key,
      @Nullable byte[] value) {
    this(topic, partition, offset, timestamp, key, value, Headers.NONE);
  }

  /** The bytes to read; null where there are none, which is told. */
  @Nullable
  byte[] content(Decoder.Output out) {
    if (value == null) {
      out.ignored(Reasons.TOMBSTONE);
      return null;
    }
    if (value.length == 0) {
      out.deadLetter(Reasons.EMPTY, "the record has no bytes");
      return null;
    }
    return value;
  }
}
