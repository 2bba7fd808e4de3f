/**
 * Patterns that change while the job runs: records of the control topic, which patterns are live,
 * what the job answers. Imports {@code cep} and {@code config}.
 */
package io.faultline.control;
