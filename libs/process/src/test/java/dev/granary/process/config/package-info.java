/** Tests of the configuration. */
@NullMarked
package dev.granary.process.config;

import org.jspecify.annotations.NullMarked;
