package dev.granary.bench.compare.stores;

import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.commons.util.Version;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.StorageType;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.server.hotrod.HotRodServer;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;

/** A Hot Rod server with a local cache, objects outside the heap. */
final class InfinispanServer {

    private InfinispanServer() {}

    /** Starts it and returns its version. */
    static String start(int port) {
        DefaultCacheManager manager = new DefaultCacheManager(
                new GlobalConfigurationBuilder().nonClusteredDefault().build());
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        configuration.memory().storage(StorageType.OFF_HEAP);
        configuration.encoding().mediaType(MediaType.APPLICATION_OCTET_STREAM);
        manager.defineConfiguration(StoreServer.OBJECTS, configuration.build());
        manager.getCache(StoreServer.OBJECTS);
        new HotRodServer()
                .start(
                        new HotRodServerConfigurationBuilder()
                                .host(StoreServer.LOOPBACK)
                                .port(port)
                                .build(),
                        manager);
        return Version.getVersion();
    }
}
