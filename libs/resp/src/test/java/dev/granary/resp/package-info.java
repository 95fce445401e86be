@NullMarked
package dev.granary.resp;

import org.jspecify.annotations.NullMarked;
