/** Checksummed logs on disk: the command log of replicated state machines, and the backup logs of chunks. */
@org.jspecify.annotations.NullMarked
module dev.granary.log {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive dev.granary.env;

    exports dev.granary.log;
    exports dev.granary.log.backup;
    exports dev.granary.log.batch;
}
