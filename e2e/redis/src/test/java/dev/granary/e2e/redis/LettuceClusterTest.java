package dev.granary.e2e.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Lettuce as a client of a cluster. */
class LettuceClusterTest extends LettuceContract {

    private final Server server = Server.cluster();
    private final RedisClusterClient client = RedisClusterClient.create(RedisURI.create(server.host(), server.port()));
    private final StatefulRedisClusterConnection<String, String> connection = client.connect();

    @AfterEach
    void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
    }

    @Override
    RedisClusterCommands<String, String> commands() {
        return connection.sync();
    }

    @Override
    RedisClusterAsyncCommands<String, String> async() {
        return connection.async();
    }

    @Override
    RedisCommands<String, String> nodeOf(String key) {
        String node = connection
                .getPartitions()
                .getPartitionBySlot(SlotHash.getSlot(key))
                .getNodeId();
        return connection.getConnection(node).sync();
    }
}
