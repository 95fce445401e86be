/** How records are laid out as bytes: their declarations say it (ADR 0223). */
@org.jspecify.annotations.NullMarked
module dev.granary.schema {
    requires static org.jspecify;

    exports dev.granary.schema;
}
