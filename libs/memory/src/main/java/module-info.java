/**
 * Off-heap memory for billions of tiny chunks. A library of its own:
 * it needs nothing but the JDK and how objects become bytes.
 */
@org.jspecify.annotations.NullMarked
module dev.granary.memory {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive dev.granary.serialization;

    exports dev.granary.memory;
    exports dev.granary.memory.map;
    exports dev.granary.memory.paged;
}
