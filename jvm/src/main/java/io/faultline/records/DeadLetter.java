package io.faultline.records;

import java.util.List;
import javax.annotation.Nullable;

/**
 * A record, or a point of one, that could not be used, with its original bytes.
 *
 * @param topic where it came from (a topic, or a recording's file)
 * @param timestamp of the record as the broker has it, ms UTC; -1 = none
 * @param reason one word: malformed, empty, missing_field, bad_value, bad_time, unsupported
 * @param detail which point and why, for a person
 * @param headers of the record, as they came
 */
public record DeadLetter(
    String topic,
    int partition,
    long offset,
    long timestamp,
    @Nullable byte[] key,
    byte[] value,
    String format,
    String reason,
    String detail,
    List<Header> headers) {}
