/**
 * One node's samples: counters to rates, units, signals, running baselines, pattern detection, and
 * one frame per tick. Pure logic ({@link io.faultline.node.NodeProcessor} over {@link
 * io.faultline.node.NodeState}) with a thin Flink operator around it. Imports {@code records} and
 * {@code cep}.
 */
package io.faultline.node;
