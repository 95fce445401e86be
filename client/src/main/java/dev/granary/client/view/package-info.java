/** What super-peers report about a cluster. */
@NullMarked
package dev.granary.client.view;

import org.jspecify.annotations.NullMarked;
