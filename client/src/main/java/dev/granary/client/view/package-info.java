/** What super-peers tell of a cluster. */
@NullMarked
package dev.granary.client.view;

import org.jspecify.annotations.NullMarked;
