/**
 * What crosses a channel or a wire: series, blocks, edges, node frames, frame rows, dead letters,
 * and their versioned serializers. Imports nothing of Faultline.
 */
package io.faultline.records;
