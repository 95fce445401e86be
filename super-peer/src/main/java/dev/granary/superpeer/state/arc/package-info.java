/** The state of an arc: its storage peers, ranges, zones, migrations and plans. */
@NullMarked
package dev.granary.superpeer.state.arc;

import org.jspecify.annotations.NullMarked;
