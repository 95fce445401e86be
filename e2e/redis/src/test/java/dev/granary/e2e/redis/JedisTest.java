package dev.granary.e2e.redis;

import org.junit.jupiter.api.AfterEach;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/** Jedis with a server that it takes for a single one. */
class JedisTest extends JedisContract {

    private final Server server = Server.plain();
    private final RedisClient client = RedisClient.create(server.host(), server.port());

    @AfterEach
    void close() {
        client.close();
    }

    @Override
    UnifiedJedis client() {
        return client;
    }

    @Override
    Connection connectionOf(String key) {
        return client.getPool().getResource();
    }
}
