/**
 * How objects write their own fields as bytes and read them back (DXMem section V-A), straight into a chunk, a request
 * or any other memory segment and with no copy in between.
 */
@NullMarked
package dev.granary.serialization;

import org.jspecify.annotations.NullMarked;
