/**
 * The Java client. {@link dev.granary.client.GranaryClient} waits for answers, {@link
 * dev.granary.client.AsyncGranaryClient} gives futures; both retry until a deadline and fail with a {@link
 * dev.granary.client.GranaryException} that says what happened.
 */
@NullMarked
package dev.granary.client;

import org.jspecify.annotations.NullMarked;
