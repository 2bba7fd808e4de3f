/**
 * Bytes to samples, edges and dead letters, one decoder per wire format, and samples to blocks.
 * Knows nothing of Flink's runtime; imports records and config.
 */
package io.faultline.decode;
