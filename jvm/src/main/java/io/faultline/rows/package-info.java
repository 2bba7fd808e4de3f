/**
 * Patterns on plain rows: what stands behind {@code CEP.pattern} in Python. Owns the operator, its
 * state and what its outputs look like; knows nothing of samples, nodes or incidents. Imports
 * {@code io.faultline.cep} and {@code io.faultline.config} only.
 */
package io.faultline.rows;
