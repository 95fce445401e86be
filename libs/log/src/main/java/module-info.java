/** Checksummed logs on disk: so far the command log of replicated state machines. */
@org.jspecify.annotations.NullMarked
module dev.granary.log {
    requires static org.jspecify;
    requires transitive dev.granary.env;

    exports dev.granary.log;
}
