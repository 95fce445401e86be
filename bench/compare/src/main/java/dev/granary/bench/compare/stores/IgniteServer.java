package dev.granary.bench.compare.stores;

import java.util.List;
import org.apache.ignite.Ignite;
import org.apache.ignite.Ignition;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.ClientConnectorConfiguration;
import org.apache.ignite.configuration.DataRegionConfiguration;
import org.apache.ignite.configuration.DataStorageConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.logger.NullLogger;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;

/** One node of Ignite without persistence, objects outside the heap. */
final class IgniteServer {

    private IgniteServer() {}

    /** Starts it and returns its version. */
    static String start(int port, long bytes, String directory) {
        DataStorageConfiguration storage = new DataStorageConfiguration()
                .setDefaultDataRegionConfiguration(
                        new DataRegionConfiguration().setName("default").setMaxSize(bytes));
        IgniteConfiguration configuration = new IgniteConfiguration()
                .setWorkDirectory(directory)
                .setGridLogger(new NullLogger())
                .setMetricsLogFrequency(0)
                .setLocalHost(StoreServer.LOOPBACK)
                .setDiscoverySpi(new TcpDiscoverySpi()
                        .setIpFinder(new TcpDiscoveryVmIpFinder().setAddresses(List.of(StoreServer.LOOPBACK))))
                .setClientConnectorConfiguration(new ClientConnectorConfiguration()
                        .setHost(StoreServer.LOOPBACK)
                        .setPort(port)
                        .setPortRange(0))
                .setDataStorageConfiguration(storage)
                .setCacheConfiguration(new CacheConfiguration<Long, byte[]>(StoreServer.OBJECTS).setBackups(0));
        Ignite ignite = Ignition.start(configuration);
        return ignite.version().major() + "." + ignite.version().minor() + "."
                + ignite.version().maintenance();
    }
}
