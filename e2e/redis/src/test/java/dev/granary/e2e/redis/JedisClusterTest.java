package dev.granary.e2e.redis;

import org.junit.jupiter.api.AfterEach;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Jedis as a client of a cluster. */
class JedisClusterTest extends JedisContract {

    private final Server server = Server.cluster();
    private final RedisClusterClient client = RedisClusterClient.create(new HostAndPort(server.host(), server.port()));

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
        return client.getConnectionFromSlot(JedisClusterCRC16.getSlot(key));
    }
}
