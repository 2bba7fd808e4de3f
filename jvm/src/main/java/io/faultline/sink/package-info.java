/**
 * Where rows go: Kafka with headers, and flat files. A row is (topic, key, value, headers). Imports
 * config and records.
 */
package io.faultline.sink;
