/**
 * Patterns and the engine that finds them: a pattern's JSON, its conditions as closures, Flink's
 * own automaton hosted over one state object per node. Owns what a run of an automaton is and how
 * it is kept; knows nothing of operators, streams or baselines. Imports {@code
 * io.faultline.records} only.
 */
package io.faultline.cep;
