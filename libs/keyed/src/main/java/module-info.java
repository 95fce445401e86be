/** Keys, their values, and what Redis's commands do with them. */
@org.jspecify.annotations.NullMarked
module dev.granary.keyed {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive dev.granary.resp;

    exports dev.granary.keyed;
    exports dev.granary.keyed.command;
}
