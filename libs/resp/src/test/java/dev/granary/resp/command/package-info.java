@NullMarked
package dev.granary.resp.command;

import org.jspecify.annotations.NullMarked;
