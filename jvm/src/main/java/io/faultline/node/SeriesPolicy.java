package io.faultline.node;

/**
 * What a node's table of series needs of the configuration.
 *
 * @param maxSeries most series of one node
 * @param windowTicks ticks that a value waits before it enters its baseline
 */
record SeriesPolicy(SignalRules rules, int maxSeries, int windowTicks) {}
