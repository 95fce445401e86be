package dev.granary.e2e.redis;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring's cache with a server that it takes for a single one. */
class SpringCacheTest extends SpringCacheContract {

    SpringCacheTest() {
        super(new LettuceConnectionFactory(new RedisStandaloneConfiguration(
                Server.plain().host(), Server.plain().port())));
    }
}
