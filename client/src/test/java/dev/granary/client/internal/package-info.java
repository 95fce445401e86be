@NullMarked
package dev.granary.client.internal;

import org.jspecify.annotations.NullMarked;
