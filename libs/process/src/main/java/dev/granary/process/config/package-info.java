/**
 * Typed configuration keys, read from a properties file and the environment, with errors made for people (ADR 0070).
 */
@NullMarked
package dev.granary.process.config;

import org.jspecify.annotations.NullMarked;
