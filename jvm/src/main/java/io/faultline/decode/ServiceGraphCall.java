package io.faultline.decode;

import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/**
 * One counter of the service graph.
 *
 * @param node the callee
 * @param caller null where the caller names no node, or is the callee itself
 * @param self the caller is the callee
 * @param kind of the edge: call, messaging, database, virtual, or as sent
 * @param traffic series of all calls, at the callee
 * @param errors series of failed calls, at the callee
 * @param metric calls or failed calls
 * @param split the counter tells failed calls from others
 * @param failed the counter counts failed calls only
 */
record ServiceGraphCall(
    String graph,
    String node,
    @Nullable String caller,
    boolean self,
    String kind,
    SeriesKey traffic,
    SeriesKey errors,
    ServiceGraphMetric metric,
    boolean split,
    boolean failed) {}
