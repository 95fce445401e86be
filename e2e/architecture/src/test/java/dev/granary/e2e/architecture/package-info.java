/** What the layout of the repository promises, checked on the compiled classes of all modules. */
@NullMarked
package dev.granary.e2e.architecture;

import org.jspecify.annotations.NullMarked;
