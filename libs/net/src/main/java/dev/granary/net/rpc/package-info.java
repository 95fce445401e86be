/** Requests and replies over connections: correlation, deadlines, identities, errors. */
@NullMarked
package dev.granary.net.rpc;

import org.jspecify.annotations.NullMarked;
