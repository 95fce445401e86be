@org.jspecify.annotations.NullMarked
package dev.granary.cli.backup;
