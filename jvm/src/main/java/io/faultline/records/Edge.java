package io.faultline.records;

import javax.annotation.Nullable;

/**
 * A directed call or dependency seen at an event time: source calls or depends on target.
 *
 * @param ttlMs how long the sighting counts, ms; -1 = the job's default
 */
public record Edge(
    String graph, String source, String target, long time, @Nullable String kind, long ttlMs) {}
