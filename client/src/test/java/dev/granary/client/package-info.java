@NullMarked
package dev.granary.client;

import org.jspecify.annotations.NullMarked;
