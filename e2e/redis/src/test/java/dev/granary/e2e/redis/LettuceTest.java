package dev.granary.e2e.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Lettuce with a server that it takes for a single one. */
class LettuceTest extends LettuceContract {

    private final Server server = Server.plain();
    private final RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
    private final StatefulRedisConnection<String, String> connection = client.connect();

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
        return connection.sync();
    }
}
