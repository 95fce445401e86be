/** Tests of the checks, each by what it was shown. */
@NullMarked
package dev.granary.cli.doctor;

import org.jspecify.annotations.NullMarked;
