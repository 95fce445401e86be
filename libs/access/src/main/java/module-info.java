/** Users: who they are, and what they may do, at the door of Redis clients and in the binary protocol. */
@org.jspecify.annotations.NullMarked
module dev.granary.access {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive dev.granary.env;
    requires transitive dev.granary.net;
    requires transitive dev.granary.overlay;
    requires transitive dev.granary.resp;
    requires transitive io.netty.buffer;
    requires io.netty.common;
    requires org.slf4j;

    exports dev.granary.access;
}
