/** The Java client: create, get, put and delete chunks of a cluster, one by one and in batches. */
@org.jspecify.annotations.NullMarked
module dev.granary.client {
    requires static org.jspecify;
    requires transitive dev.granary.env;
    requires transitive dev.granary.memory;
    requires transitive dev.granary.net;
    requires transitive dev.granary.overlay;
    requires io.netty.buffer;
    requires org.slf4j;

    exports dev.granary.client;
}
