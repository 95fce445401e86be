/** Frames, messages, remote calls and transports. */
@org.jspecify.annotations.NullMarked
module dev.granary.net {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive dev.granary.env;
    requires transitive dev.granary.overlay;
    requires transitive dev.granary.schema;
    requires transitive io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires java.naming;
    requires org.slf4j;

    exports dev.granary.net;
    exports dev.granary.net.access;
    exports dev.granary.net.cluster;
    exports dev.granary.net.message;
    exports dev.granary.net.netty;
    exports dev.granary.net.rpc;
    exports dev.granary.net.tls;
}
