package io.faultline.records;

import javax.annotation.Nullable;

/**
 * One event among those that a point counts, with the trace in which it happened.
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits; null = not said
 * @param value of the event, in the unit of its metric; NaN = not said
 * @param time of the event, ms UTC; 0 = not said
 */
public record Exemplar(String traceId, @Nullable String spanId, double value, long time) {}
