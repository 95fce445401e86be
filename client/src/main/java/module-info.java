/**
 * The Java client: it creates, gets, puts and deletes chunks of a cluster, and sets, gets and deletes keys, one by one
 * and in batches. Applications see only its own types and the serialization of objects. Only administration ({@code
 * dev.granary.client.admin}) shows messages; its users read the modules {@code dev.granary.net} and {@code
 * dev.granary.overlay}.
 */
@org.jspecify.annotations.NullMarked
module dev.granary.client {
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires dev.granary.env;
    requires dev.granary.net;
    requires dev.granary.overlay;
    requires dev.granary.resp;
    requires transitive dev.granary.serialization;
    requires io.netty.buffer;
    requires org.slf4j;

    exports dev.granary.client;
    exports dev.granary.client.admin;
    exports dev.granary.client.view;

    uses dev.granary.client.ClientProvider;

    provides dev.granary.client.ClientProvider with
            dev.granary.client.internal.NettyClients;
}
