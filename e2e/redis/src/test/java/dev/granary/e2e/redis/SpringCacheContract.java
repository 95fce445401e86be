package dev.granary.e2e.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.Cache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What Spring's cache does in Redis over Lettuce, with locks. */
abstract class SpringCacheContract {

    private final String name = Server.prefix("spring");
    private final LettuceConnectionFactory factory;

    SpringCacheContract(LettuceConnectionFactory factory) {
        this.factory = factory;
        factory.afterPropertiesSet();
        factory.start();
    }

    @AfterEach
    void close() {
        factory.destroy();
    }

    @Test
    void put_thenGet_returnsTheObject() {
        Cache cache = cache(Duration.ofMinutes(1));
        cache.put("a", "one");
        assertThat(cache.get("a", String.class)).isEqualTo("one");
        assertThat(cache.get("none")).isNull();
        assertThat(requireNonNull(cache.putIfAbsent("a", "two")).get()).isEqualTo("one");
        assertThat(cache.putIfAbsent("b", "two")).isNull();
        assertThat(cache.evictIfPresent("a")).isTrue();
        assertThat(cache.get("a")).isNull();
        cache.clear();
    }

    @Test
    void getWithLoader_again_loadsOnce() {
        Cache cache = cache(Duration.ofMinutes(1));
        AtomicInteger loads = new AtomicInteger();
        assertThat(cache.get("a", () -> "value " + loads.incrementAndGet())).isEqualTo("value 1");
        assertThat(cache.get("a", () -> "value " + loads.incrementAndGet())).isEqualTo("value 1");
        assertThatThrownBy(() -> cache.get("b", () -> {
                    throw new IllegalStateException("no value");
                }))
                .isInstanceOf(Cache.ValueRetrievalException.class);
        cache.clear();
    }

    @Test
    void clear_manyEntries_removesThemOnly() {
        Cache cache = cache(Duration.ofMinutes(1));
        Cache other = cache(Duration.ofMinutes(1), "other:");
        other.put("a", "stays");
        for (int at = 0; at < 300; at++) {
            cache.put(at, "value " + at);
        }
        assertThat(cache.get(299, String.class)).isEqualTo("value 299");
        cache.clear();
        for (int at = 0; at < 300; at++) {
            assertThat(cache.get(at)).isNull();
        }
        assertThat(other.get("a", String.class)).isEqualTo("stays");
        other.clear();
    }

    @Test
    void get_timeToLiveHasPassed_findsNothing() throws InterruptedException {
        Cache cache = cache(Duration.ofMillis(200));
        cache.put("a", "one");
        assertThat(cache.get("a", String.class)).isEqualTo("one");
        Thread.sleep(300);
        assertThat(cache.get("a")).isNull();
    }

    private Cache cache(Duration timeToLive) {
        return cache(timeToLive, "");
    }

    private Cache cache(Duration timeToLive, String prefix) {
        // Without immediate writes a value that was put may be seen a moment later.
        RedisCacheWriter writer = RedisCacheWriter.create(
                factory, settings -> settings.immediateWrites().enableLocking());
        RedisCacheManager manager = RedisCacheManager.builder(writer)
                .cacheDefaults(RedisCacheConfiguration.defaultCacheConfig().entryTtl(timeToLive))
                .build();
        manager.afterPropertiesSet();
        return requireNonNull(manager.getCache(prefix + name));
    }
}
