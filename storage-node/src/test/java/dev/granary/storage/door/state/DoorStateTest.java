package dev.granary.storage.door.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.access.Accounts;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.door.NoLink;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Parts of a {@link DoorState} that depend on time or have bounds. */
class DoorStateTest {

    private static Client client(String libName) {
        Client client = new Client(
                1,
                "10.0.0.1:5",
                "10.0.0.1",
                "10.0.0.2:6379",
                0,
                new Accounts(new RuleNames(CommandTable.redis(), command -> false)),
                NoLink.INSTANCE);
        client.libName(libName);
        return client;
    }

    @Test
    void commandStats_callsOfManyTimes_haveTheirPercentiles() {
        CommandStats stats = new CommandStats();
        for (int micros = 1; micros <= 1000; micros++) {
            stats.called(TimeUnit.MICROSECONDS.toNanos(micros), micros > 990);
        }
        stats.called(TimeUnit.HOURS.toNanos(1), false);
        assertThat(stats.calls()).isEqualTo(1001);
        assertThat(stats.failed()).isEqualTo(10);
        assertThat(stats.inBucket(0)).isEqualTo(1);
        assertThat(stats.inBucket(1)).isEqualTo(1);
        assertThat(stats.inBucket(2)).isEqualTo(2);
        assertThat(stats.inBucket(CommandStats.BUCKETS - 1)).isEqualTo(1);
        assertThat(stats.percentileMicros(50)).isEqualTo(512);
        assertThat(stats.percentileMicros(99)).isEqualTo(1024);
        stats.reset();
        assertThat(stats.calls() + stats.failed() + stats.nanos()).isZero();
    }

    @Test
    void pause_ofChangesWithinOneOfAll_staysOneOfAll() {
        Pause pause = new Pause();
        assertThat(pause.isOn()).isFalse();
        pause.begin(100, 1000, true);
        assertThat(pause.waitNanos(200, true)).isEqualTo(900);
        assertThat(pause.waitNanos(200, false)).isZero();
        pause.begin(200, 100, false);
        assertThat(pause.waitNanos(200, false)).isEqualTo(900);
        assertThat(pause.waitNanos(1200, true)).isZero();
        pause.begin(1200, 10, true);
        assertThat(pause.waitNanos(1200, false)).isZero();
        pause.end();
        assertThat(pause.waitNanos(1200, true)).isZero();
    }

    @Test
    void awareClients_afterMinutes_areForgotten() {
        AwareClients aware = new AwareClients();
        aware.asked(client("lettuce"), 0);
        long minute = TimeUnit.MINUTES.toNanos(1);
        assertThat(aware.knows(client("lettuce"), minute)).isTrue();
        assertThat(aware.knows(client("jedis"), minute)).isFalse();
        assertThat(aware.knows(client("lettuce"), 6 * minute)).isFalse();
        Client nameless = client("");
        aware.asked(nameless, 0);
        assertThat(aware.knows(nameless, 6 * minute)).isTrue();
        assertThat(aware.knows(client(""), 0)).isFalse();
    }

    @Test
    void clients_placesAndIds_areGivenOnce() {
        Clients clients = new Clients();
        assertThat(clients.tryEnter(1)).isTrue();
        assertThat(clients.tryEnter(1)).isFalse();
        clients.leave();
        assertThat(clients.tryEnter(1)).isTrue();
        assertThat(clients.nextId()).isNotEqualTo(clients.nextId());
        assertThat(clients.held(7)).isEqualTo(7);
        assertThat(clients.held(-7)).isZero();
    }

    @Test
    void counters_errorCodesWithoutEnd_areBounded() {
        DoorCounters counters = new DoorCounters();
        for (int i = 0; i < 1000; i++) {
            counters.error("E" + i);
            counters.error("E0");
        }
        assertThat(counters.errorSums()).hasSizeLessThan(70).containsEntry("E0", 1001L);
        counters.reset();
        assertThat(counters.errorSums()).isEmpty();
    }
}
