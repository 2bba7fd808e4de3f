/**
 * Mains that run without a cluster: one JSON request on stdin, NDJSON on stdout, errors on stderr
 * with an exit code other than 0.
 */
package io.faultline.cli;
