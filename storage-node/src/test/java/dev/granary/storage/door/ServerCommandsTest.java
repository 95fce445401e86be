package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.storage.door.state.Settings;
import dev.granary.storage.keyed.EvictionPolicy;
import io.prometheus.client.CollectorRegistry;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Commands about connections and the server, which the door answers itself. */
class ServerCommandsTest {

    private static final String[] OUTCOME = {"outcome"};
    private static final String[] COMMAND = {"command"};

    @Test
    void hello_versionsNamesAndPasswords_areChecked() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("HELLO"))
                    .isEqualTo("['server' 'redis' 'version' '7.4.0' 'proto' :2 'id' :1 'mode' 'cluster' 'role' 'master'"
                            + " 'modules' []]");
            assertThat(client.words("HELLO 4")).isEqualTo("-NOPROTO unsupported protocol version");
            assertThat(client.words("HELLO x")).isEqualTo("-ERR Protocol version is not an integer or out of range");
            assertThat(client.words("HELLO 3 FOO")).isEqualTo("-ERR Syntax error in HELLO option 'FOO'");
            assertThat(client.words("HELLO 3 AUTH nobody pw"))
                    .isEqualTo("-WRONGPASS invalid username-password pair or user is disabled.");
            assertThat(client.words("HELLO 3 AUTH default pw SETNAME me"))
                    .isEqualTo("{'server': 'redis', 'version': '7.4.0', 'proto': :3, 'id': :1, 'mode': 'cluster',"
                            + " 'role': 'master', 'modules': []}");
            assertThat(client.words("CLIENT GETNAME")).isEqualTo("'me'");
            assertThat(client.words("AUTH pw")).startsWith("-ERR AUTH <password> called without any password");
            assertThat(client.words("AUTH default pw")).isEqualTo("+OK");
            assertThat(client.words("RESET")).isEqualTo("+RESET");
            assertThat(client.words("CLIENT GETNAME")).isEqualTo("nil");
        }
    }

    @Test
    void connection_selectPingAndEcho_areAnswered() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("SELECT 0")).isEqualTo("+OK");
            assertThat(client.words("SELECT 1")).isEqualTo("-ERR DB index is out of range");
            assertThat(client.words("SELECT x")).isEqualTo("-ERR value is not an integer or out of range");
            assertThat(client.words("ECHO x")).isEqualTo("'x'");
            assertThat(client.words("READONLY")).isEqualTo("+OK");
            assertThat(client.words("READWRITE")).isEqualTo("+OK");
            assertThat(client.words("WAIT 1 0")).isEqualTo(":3");
            assertThat(client.words("TIME")).startsWith("['1");
            assertThat(client.words("FUNCTION FLUSH")).isEqualTo("+OK");
            assertThat(client.words("DEBUG SLEEP 1")).startsWith("-ERR unknown command 'DEBUG'");
            assertThat(client.words("LOLWUT")).startsWith("-ERR unknown command 'LOLWUT'");
        }
    }

    @Test
    void client_infoListAndNames_tellOfConnections() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            assertThat(other.words("PING")).isEqualTo("+PONG");
            String id = client.words("CLIENT ID");
            assertThat(id).startsWith(":");
            assertThat(client.words("CLIENT SETNAME worker-1")).isEqualTo("+OK");
            assertThat(client.ask("CLIENT", "SETNAME", "a b")).startsWith("-ERR Client names cannot contain spaces");
            assertThat(client.words("CLIENT SETINFO LIB-NAME redis-py")).isEqualTo("+OK");
            assertThat(client.words("CLIENT SETINFO LIB-VER 8.1")).isEqualTo("+OK");
            assertThat(client.words("CLIENT SETINFO LIB-AGE 8")).isEqualTo("-ERR Unrecognized option 'LIB-AGE'");
            assertThat(client.words("CLIENT INFO"))
                    .contains("id=" + id.substring(1) + " addr=127.0.0.1:" + client.localPort())
                    .contains("name=worker-1", "flags=N", "multi=-1", "cmd=client|info", "resp=2")
                    .contains("lib-name=redis-py lib-ver=8.1");
            assertThat(client.words("CLIENT LIST").split("\n", -1)).hasSize(3);
            assertThat(client.words("CLIENT LIST ID " + id.substring(1) + " 999")
                            .split("\n", -1))
                    .hasSize(2);
            assertThat(client.words("CLIENT LIST TYPE pubsub")).isEqualTo("''");
            assertThat(client.words("CLIENT LIST TYPE x")).isEqualTo("-ERR Unknown client type 'x'");
            assertThat(client.words("CLIENT NO-EVICT ON")).isEqualTo("+OK");
            assertThat(client.words("CLIENT NO-TOUCH ON")).isEqualTo("+OK");
            assertThat(client.words("CLIENT TRACKING OFF")).isEqualTo("+OK");
            assertThat(client.words("CLIENT TRACKING ON")).startsWith("-ERR client-side caching is not supported");
            assertThat(client.words("CLIENT TRACKINGINFO")).isEqualTo("['flags' ['off'] 'redirect' :-1 'prefixes' []]");
            assertThat(client.words("CLIENT CACHING YES")).startsWith("-ERR CLIENT CACHING can be called only when");
            assertThat(client.words("CLIENT UNBLOCK 1")).isEqualTo(":0");
            assertThat(client.words("CLIENT HELP")).contains("SETINFO");
        }
    }

    @Test
    void clientKill_byFilters_closesThose() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient second = open.client();
                RespClient third = open.client()) {
            String id = second.words("CLIENT ID").substring(1);
            third.words("PING");
            assertThat(client.words("CLIENT KILL 127.0.0.1:1")).isEqualTo("-ERR No such client");
            assertThat(client.words("CLIENT KILL ID 0")).isEqualTo("-ERR client-id should be greater than 0");
            assertThat(client.words("CLIENT KILL ID " + id)).isEqualTo(":1");
            assertThat(second.isClosed()).isTrue();
            assertThat(client.words("CLIENT KILL ADDR 127.0.0.1:" + third.localPort() + " TYPE normal"))
                    .isEqualTo(":1");
            assertThat(third.isClosed()).isTrue();
            DoorTest.await(() -> open.door().state().clients().count() == 1);
            assertThat(client.words("CLIENT KILL USER default")).isEqualTo(":0");
            assertThat(client.words("CLIENT KILL USER default SKIPME no")).isEqualTo(":1");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void clientPause_ofChanges_holdsThemUntilItEnds() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            assertThat(client.words("CLIENT PAUSE 60000 WRITE")).isEqualTo("+OK");
            other.send(RespClient.request("SET", "a", "1"));
            assertThat(client.words("GET a")).isEqualTo("nil");
            assertThat(client.words("CLIENT UNPAUSE")).isEqualTo("+OK");
            assertThat(other.read()).isEqualTo("+OK");
            assertThat(client.words("CLIENT PAUSE 100")).isEqualTo("+OK");
            assertThat(client.words("GET a")).isEqualTo("'1'");
            assertThat(client.words("CLIENT PAUSE x")).isEqualTo("-ERR timeout is not an integer or out of range");
            assertThat(client.words("CLIENT PAUSE -1")).isEqualTo("-ERR timeout is negative");
        }
    }

    @Test
    void config_getAndSet_areThoseOf() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("CONFIG GET save")).isEqualTo("['save' '']");
            assertThat(client.words("CONFIG GET slowlog-* maxmemory"))
                    .isEqualTo("['slowlog-log-slower-than' '10000' 'slowlog-max-len' '128' 'maxmemory' '1048576']");
            assertThat(client.words("CONFIG GET none")).isEqualTo("[]");
            assertThat(client.words("CONFIG SET slowlog-max-len 5 TIMEOUT 100")).isEqualTo("+OK");
            assertThat(client.words("CONFIG GET timeout")).isEqualTo("['timeout' '100']");
            assertThat(client.words("CONFIG SET timeout 0 nosuch 1"))
                    .isEqualTo("-ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'");
            assertThat(client.words("CONFIG SET timeout 7 slowlog-max-len x"))
                    .isEqualTo("-ERR CONFIG SET failed (possibly related to argument 'slowlog-max-len') - argument"
                            + " couldn't be parsed into an integer");
            assertThat(client.words("CONFIG GET timeout")).isEqualTo("['timeout' '100']");
            assertThat(client.words("CONFIG REWRITE")).isEqualTo("-ERR The server is running without a config file");
            assertThat(client.words("CONFIG SET appendonly no")).isEqualTo("+OK");
            assertThat(client.words("CONFIG SET hash-max-ziplist-value 10")).isEqualTo("+OK");
            assertThat(client.words("CONFIG GET hash-max-*-value"))
                    .isEqualTo("['hash-max-listpack-value' '10' 'hash-max-ziplist-value' '10']");
            assertThat(client.words("CONFIG SET appendonly yes"))
                    .isEqualTo("-ERR CONFIG SET failed (possibly related to argument 'appendonly') - it is always 'no'"
                            + " in Granary");
            Settings settings = open.door().state().settings();
            assertThat(settings.slowEntries()).isEqualTo(5);
        }
    }

    @Test
    void config_maxmemory_isWhatKeysMayTake() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("CONFIG SET maxmemory 100mb maxmemory-policy ALLKEYS-LRU"))
                    .isEqualTo("+OK");
            assertThat(client.words("CONFIG GET maxmemory maxmemory-policy"))
                    .isEqualTo("['maxmemory' '104857600' 'maxmemory-policy' 'allkeys-lru']");
            assertThat(open.door().state().settings().memory().maxBytes()).isEqualTo(100 << 20);
            assertThat(open.door().state().settings().memory().policy()).isEqualTo(EvictionPolicy.ALLKEYS_LRU);
            assertThat(client.words("INFO memory")).contains("maxmemory_policy:allkeys-lru");
            assertThat(client.words("CONFIG SET maxmemory 0 maxmemory-policy lru"))
                    .isEqualTo("-ERR CONFIG SET failed (possibly related to argument 'maxmemory-policy') -"
                            + " argument(s) must be one of the following: noeviction, allkeys-lru, allkeys-lfu,"
                            + " allkeys-random, volatile-lru, volatile-lfu, volatile-random, volatile-ttl");
            assertThat(client.words("CONFIG SET maxmemory much"))
                    .isEqualTo("-ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be"
                            + " a memory value");
            assertThat(client.words("CONFIG SET maxmemory 0")).isEqualTo("+OK");
            assertThat(open.door().state().settings().memory().maxBytes()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void info_sections_haveWhatExportersRead() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.words("SET a 1");
            client.words("INCR {a}x");
            client.words("NOSUCH");
            client.words("SET a");
            client.words("RENAME a b");
            assertThat(client.words("INFO"))
                    .contains("# Server\r\nredis_version:7.4.0\r\ngranary_version:", "uptime_in_seconds:0")
                    .contains("connected_clients:1", "maxclients:10000", "blocked_clients:0")
                    .contains("used_memory:2048", "maxmemory:1048576", "mem_fragmentation_ratio:1.00")
                    .contains("used_memory_dataset:1024", "used_memory_overhead:1024", "maxmemory_policy:noeviction")
                    .contains("keyspace_hits:11", "keyspace_misses:13", "expired_keys:5", "evicted_keys:0")
                    .contains("total_connections_received:1", "rejected_connections:0", "total_net_input_bytes:")
                    .contains("role:master", "cluster_enabled:1", "redis_mode:cluster", "used_cpu_user:")
                    .contains("# Keyspace\r\ndb0:keys=7,expires=2,avg_ttl=0")
                    .contains("errorstat_ERR:count=2", "errorstat_CROSSSLOT:count=1")
                    .doesNotContain("cmdstat_");
            assertThat(client.words("INFO COMMANDSTATS"))
                    .contains("cmdstat_set:calls=1,usec=", ",rejected_calls=1,failed_calls=0")
                    .contains("cmdstat_incr:calls=1")
                    .doesNotContain("# Server");
            assertThat(client.words("INFO latencystats")).contains("latency_percentiles_usec_set:p50=");
            assertThat(client.words("INFO all")).contains("cmdstat_set", "# Server");
            assertThat(client.words("CONFIG RESETSTAT")).isEqualTo("+OK");
            assertThat(client.words("INFO commandstats")).doesNotContain("cmdstat_set");
        }
    }

    @Test
    void slowLog_requestsAboveTheThreshold_areKept() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("SLOWLOG LEN")).isEqualTo(":0");
            client.words("CLIENT SETNAME me");
            client.words("CONFIG SET slowlog-log-slower-than 0");
            client.words("SLOWLOG RESET");
            client.ask("SET", "a", "v".repeat(200));
            client.words("AUTH default secret");
            client.words("PING");
            client.words("CONFIG SET slowlog-log-slower-than -1");
            String log = client.words("SLOWLOG GET -1");
            assertThat(log)
                    .contains("['SET' 'a' '" + "v".repeat(128) + "... (72 more bytes)'] '127.0.0.1:"
                            + client.localPort() + "' 'me'")
                    .contains("['PING']")
                    .doesNotContain("secret");
            assertThat(client.words("SLOWLOG GET x")).startsWith("-ERR count should be greater");
            assertThat(client.words("SLOWLOG RESET")).isEqualTo("+OK");
            assertThat(client.words("SLOWLOG GET")).isEqualTo("[]");
        }
    }

    @Test
    void latencyAndMemory_areMinimalAndTrue() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.words("SET a 1");
            assertThat(client.words("LATENCY LATEST")).isEqualTo("[]");
            assertThat(client.words("LATENCY HISTORY command")).isEqualTo("[]");
            assertThat(client.words("LATENCY RESET")).isEqualTo(":0");
            assertThat(client.words("LATENCY DOCTOR")).contains("LATENCY HISTOGRAM");
            assertThat(client.words("LATENCY HISTOGRAM set")).startsWith("['set' ['calls' :1 'histogram_usec' [:");
            assertThat(client.words("MEMORY DOCTOR")).contains("Keys take 0 %");
            assertThat(client.words("MEMORY STATS")).contains("'keys.count' :7", "'dataset.percentage' '50'");
        }
    }

    @Test
    void command_table_hasOnlyWhatThereIs() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("COMMAND LIST"))
                    .contains("'get'", "'client|setinfo'", "'function|flush'", "'cluster|myshardid'")
                    .doesNotContain("'cluster|meet'", "'memory|purge'", "'lpush'");
            assertThat(client.words("COMMAND GETKEYS MSET a 1 b 2")).isEqualTo("['a' 'b']");
            assertThat(client.words("COMMAND INFO nosuch")).isEqualTo("[nil]");
            String count = client.words("COMMAND COUNT");
            assertThat(Integer.parseInt(count.substring(1))).isGreaterThan(30);
            // Each command that is told of is known.
            for (String name :
                    client.words("COMMAND LIST").replaceAll("[\\[\\]']", "").split(" ", -1)) {
                if (name.contains("|")) {
                    assertThat(client.ask(name.split("\\|", -1))).as(name).doesNotStartWith("-ERR unknown");
                }
            }
        }
    }

    @Test
    void monitor_requestsOfOthers_areShown() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient monitor = open.client();
                RespClient client = open.client()) {
            assertThat(monitor.words("MONITOR")).isEqualTo("+OK");
            client.send(RespClient.request("SET", "a", "x\n\"\u00ff"));
            client.send("AUTH default secret\r\nGET a\r\n".getBytes(StandardCharsets.US_ASCII));
            client.read(3);
            assertThat(monitor.read())
                    .matches("\\+\\d+\\.\\d{6} \\[0 127.0.0.1:" + client.localPort()
                            + "\\] \"SET\" \"a\" \"x\\\\n\\\\\"\\\\xff\"");
            assertThat(monitor.read()).endsWith("\"GET\" \"a\"");
            assertThat(client.words("CLIENT LIST TYPE replica")).contains("flags=O");
        }
    }

    @Test
    void metrics_ofADoor_countWhatClientsDo() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            CollectorRegistry registry = new CollectorRegistry();
            assertThat(new DoorMetrics(registry, open.door())).isNotNull();
            client.words("SET a 1");
            client.words("SET a");
            client.words("INCR {a}2");
            client.words("NOSUCH");
            assertThat(registry.getSampleValue("granary_redis_connections")).isEqualTo(1);
            assertThat(registry.getSampleValue("granary_redis_keys")).isEqualTo(7);
            assertThat(registry.getSampleValue("granary_redis_expiring_keys")).isEqualTo(2);
            assertThat(registry.getSampleValue("granary_redis_expired_keys_total"))
                    .isEqualTo(5);
            assertThat(registry.getSampleValue("granary_redis_key_hits_total")).isEqualTo(11);
            assertThat(registry.getSampleValue("granary_redis_key_misses_total"))
                    .isEqualTo(13);
            assertThat(registry.getSampleValue("granary_redis_unknown_commands_total"))
                    .isEqualTo(1);
            assertThat(registry.getSampleValue("granary_redis_group_calls_total"))
                    .isEqualTo(2);
            assertThat(registry.getSampleValue("granary_redis_requests_total", OUTCOME, new String[] {"done"}))
                    .isEqualTo(2);
            assertThat(registry.getSampleValue("granary_redis_requests_total", OUTCOME, new String[] {"refused"}))
                    .isEqualTo(1);
            assertThat(registry.getSampleValue("granary_redis_commands_total", COMMAND, new String[] {"incr"}))
                    .isEqualTo(1);
            assertThat(registry.getSampleValue("granary_redis_commands_total", COMMAND, new String[] {"get"}))
                    .isNull();
            assertThat(registry.getSampleValue("granary_redis_command_seconds_total", COMMAND, new String[] {"set"}))
                    .isPositive();
            assertThat(registry.getSampleValue("granary_redis_request_seconds_count"))
                    .isEqualTo(2);
            assertThat(registry.getSampleValue(
                            "granary_redis_request_seconds_bucket", new String[] {"le"}, new String[] {"+Inf"}))
                    .isEqualTo(2);
            assertThat(registry.getSampleValue("granary_redis_received_bytes_total"))
                    .isPositive();
            assertThat(registry.getSampleValue("granary_redis_sent_bytes_total"))
                    .isPositive();
        }
    }
}
