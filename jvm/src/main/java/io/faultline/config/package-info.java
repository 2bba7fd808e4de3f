/**
 * The configuration that the two entries take as JSON, as typed records. Unknown keys are refused
 * with the nearest known one. Imports nothing of Faultline.
 */
package io.faultline.config;
