@NullMarked
package dev.granary.resp.acl;

import org.jspecify.annotations.NullMarked;
