/** The Redis protocol: requests and replies. */
@org.jspecify.annotations.NullMarked
module dev.granary.resp {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;

    exports dev.granary.resp;
}
