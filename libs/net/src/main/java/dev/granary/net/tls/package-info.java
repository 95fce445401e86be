/** TLS between processes: certificates from files that are read again, and what a certificate proves (ADR 0328). */
@NullMarked
package dev.granary.net.tls;

import org.jspecify.annotations.NullMarked;
