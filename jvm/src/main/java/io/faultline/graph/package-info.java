/**
 * The service graph over time: its topology from sightings of edges, and one row of float32 bytes
 * per tick. Pure logic ({@link io.faultline.graph.GraphAssembler} over {@link
 * io.faultline.graph.GraphState}) with a thin Flink operator around it. Imports {@code records} and
 * {@code node}.
 */
package io.faultline.graph;
