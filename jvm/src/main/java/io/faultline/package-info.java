/**
 * The two entries into the JVM and how they wire its parts. Everything else is in the packages
 * below.
 */
package io.faultline;
