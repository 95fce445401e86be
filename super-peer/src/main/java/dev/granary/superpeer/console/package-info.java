/** The console: a page that shows the cluster to a person. It reads and changes nothing. */
@NullMarked
package dev.granary.superpeer.console;

import org.jspecify.annotations.NullMarked;
