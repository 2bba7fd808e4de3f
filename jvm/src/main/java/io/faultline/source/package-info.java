/**
 * Where records come from: Kafka topics and recordings, decoded at the source so that event time is
 * known per partition. Imports config, decode and records.
 */
package io.faultline.source;
