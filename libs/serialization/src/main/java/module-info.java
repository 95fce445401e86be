/** How objects write their own fields as bytes and read them back. Needs nothing but the JDK. */
@org.jspecify.annotations.NullMarked
module dev.granary.serialization {
    requires static org.jspecify;

    exports dev.granary.serialization;
}
