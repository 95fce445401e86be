package dev.granary.storage.door.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.access.Access;
import dev.granary.access.Accounts;
import dev.granary.env.SystemClock;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.door.NoLink;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.KeyedFigures;
import dev.granary.storage.door.state.RedirectMode;
import dev.granary.storage.keyed.EvictionPolicy;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.hot.HotKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** {@code INFO} of a door that has seen nothing: no connection is needed for it. */
class InfoSectionsTest {

    private static final SlotOwners NOBODY = new SlotOwners() {
        @Override
        public int nid() {
            return Nid.NONE;
        }

        @Override
        public int owner(int group) {
            return Nid.NONE;
        }

        @Override
        public List<Door> doors() {
            return List.of();
        }
    };

    private final LocalCommands commands = new LocalCommands();

    private final Client client = new Client(
            1,
            "10.0.0.1:5",
            "10.0.0.1",
            "10.0.0.2:6379",
            0,
            new Accounts(new RuleNames(CommandTable.redis(), command -> false)),
            NoLink.INSTANCE);

    private final DoorState door = new DoorState(
            new DoorConfig(
                    new HostAddress("0.0.0.0", 6379),
                    null,
                    "peer-0",
                    DoorLimits.defaults(),
                    RedirectMode.AWARE,
                    Polling.AUTO,
                    1,
                    null),
            new SystemClock(),
            NOBODY,
            () -> new KeyedFigures(3L << 30, 1L << 30, 4L << 40, 0, 0, 0, 0, 0, 0, 0),
            new KeyedLimits(0, EvictionPolicy.ALLKEYS_LRU),
            new HotKeys(new SystemClock()),
            DoorTable.of(commands, name -> false),
            new Access(null, new SecureRandom()));

    private String info(String section) {
        ByteBuf out = Unpooled.buffer();
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
            decoder.add(Unpooled.copiedBuffer("INFO " + section + "\r\n", StandardCharsets.US_ASCII));
            assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
            Request request = decoder.request();
            // INFO asks nothing of the connection.
            LocalCall call = new LocalCall(door, client, request, new ReplyWriter(out, Protocol.RESP3));
            Objects.requireNonNull(commands.find("info")).answer(call);
        }
        String text = out.toString(StandardCharsets.US_ASCII);
        return text.substring(text.indexOf("txt:") + 4, text.length() - 2);
    }

    @Test
    void info_everySection_hasLinesOfNamesAndValues() {
        String all = info("everything");
        assertThat(all.lines()
                        .filter(line -> !line.isEmpty() && !line.startsWith("# "))
                        .toList())
                .hasSizeGreaterThan(50)
                .allSatisfy(line -> assertThat(line).matches("[a-zA-Z0-9_]+:.*"))
                .doesNotHaveDuplicates();
        for (String section : new String[] {"Server", "Clients", "Memory", "Stats", "Cpu", "Cluster", "Keyspace"}) {
            assertThat(all).contains("# " + section + "\r\n");
        }
        assertThat(info("nosuch")).isEmpty();
        assertThat(info("default")).contains("# Server").doesNotContain("# Commandstats");
    }

    @Test
    void info_beforeAnythingHappened_isTrue() {
        assertThat(InfoSections.REDIS_VERSION).isEqualTo("7.4.0");
        assertThat(info("memory"))
                .contains("used_memory_human:3.00G", "maxmemory_human:4.00T", "used_memory_overhead:2147483648");
        assertThat(info("server")).contains("tcp_port:6379", "run_id:" + "0".repeat(40));
        assertThat(info("keyspace")).isEqualTo("# Keyspace\r\n");
        assertThat(info("commandstats")).isEqualTo("# Commandstats\r\n");
    }
}
