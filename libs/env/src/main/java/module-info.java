/** What every part that waits, sends or writes takes from outside: clock, scheduler, random numbers and disk. */
@org.jspecify.annotations.NullMarked
module dev.granary.env {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.granary.env;
}
