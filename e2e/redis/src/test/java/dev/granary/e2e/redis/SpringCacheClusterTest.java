package dev.granary.e2e.redis;

import java.util.List;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring's cache as a client of a cluster. */
class SpringCacheClusterTest extends SpringCacheContract {

    SpringCacheClusterTest() {
        super(new LettuceConnectionFactory(new RedisClusterConfiguration(
                List.of(Server.cluster().host() + ":" + Server.cluster().port()))));
    }
}
