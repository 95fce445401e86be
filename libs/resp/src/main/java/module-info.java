/** The Redis protocol: requests, replies, and the table of commands. */
@org.jspecify.annotations.NullMarked
module dev.granary.resp {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;

    exports dev.granary.resp;
    exports dev.granary.resp.acl;
    exports dev.granary.resp.command;
}
