package dev.granary.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.access.RequestRoles;
import dev.granary.net.access.Role;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.overlay.Cid;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** That {@link RequestNeeds} has each request that somebody may send who is subject to users, and no other one. */
class RequestNeedsTest {

    private static final int CODES = 256;

    private static final RuleNames NAMES = RuleNames.ofGranary();

    private final RequestNeeds needs = new RequestNeeds(NAMES, () -> 0x8000);

    private static User user(String... rules) throws Exception {
        return User.create("some", NAMES).with(List.of(rules));
    }

    /** What the connection answers by itself is no request of a user. */
    @Test
    void knows_everyTypeOfClientsAndAdministrators_andNoOther() {
        Set<Integer> ofConnection =
                Set.of(MessageType.HELLO.code(), MessageType.PROVE.code(), MessageType.LOGIN.code());
        for (int code = 0; code < CODES; code++) {
            Set<Role> roles = RequestRoles.of(code);
            boolean isOfUsers = roles.contains(Role.CLIENT) || roles.contains(Role.ADMINISTRATOR);
            assertThat(needs.knows(code))
                    .as(MessageType.nameOf(code))
                    .isEqualTo(isOfUsers && !ofConnection.contains(code));
        }
    }

    /** Codes that are not there and those of nodes are refused, if a connection should ever let them through. */
    @Test
    void check_typeThatIsNotInTheTable_isRefused() throws Exception {
        User almost = user("+@all", "~*", "-ping");
        assertThat(needs.check(almost, MessageType.RAFT.code(), Unpooled.EMPTY_BUFFER))
                .isNotNull();
        assertThat(needs.check(almost, CODES, Unpooled.EMPTY_BUFFER)).isNotNull();
    }

    /** Any key may be among them, so a part of the keys is not enough; nor are all chunks, which are no keys. */
    @Test
    void check_hotKeys_needTheStatusAndAllKeysToRead() throws Exception {
        int type = MessageType.HOT_KEYS.code();
        for (List<String> rules : List.of(
                List.of("+granary.status"),
                List.of("+granary.status", "~app:*"),
                List.of("+granary.status", "%W~*"),
                List.of("+granary.status", "^*"),
                List.of("+@all", "-@admin", "~*"))) {
            assertThat(needs.check(user(rules.toArray(String[]::new)), type, Unpooled.EMPTY_BUFFER))
                    .as("%s", rules)
                    .isNotNull();
        }
        assertThat(needs.check(user("+granary.status", "%R~*"), type, Unpooled.EMPTY_BUFFER))
                .isNull();
        assertThat(needs.check(user("+@all", "-ping", "~*"), type, Unpooled.EMPTY_BUFFER))
                .isNull();
    }

    @Test
    void administrates_whatChangesTheCluster_isNamedForAuditors() {
        Set<String> named = IntStream.range(0, CODES)
                .filter(code -> needs.administrates(code) != null)
                .mapToObj(MessageType::nameOf)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named)
                .containsExactly(
                        "abort-migration",
                        "abort-plan",
                        "begin-restore",
                        "commit-migration",
                        "end-migration",
                        "end-restore",
                        "hibernate",
                        "migrate",
                        "migration-data",
                        "rebuild-ring",
                        "recover-zone",
                        "resize-ring",
                        "restore-creator",
                        "restore-peer",
                        "start-plan",
                        "unpark-peer");
    }

    private static ByteBuf read(int chunks) {
        ByteBuf payload = Unpooled.buffer().writeIntLE(0).writeIntLE(chunks);
        for (int i = 1; i <= chunks; i++) {
            payload.writeLongLE(Cid.of(0x8000, i));
        }
        return payload;
    }

    private static ByteBuf changed(int chunks) {
        ByteBuf payload = Unpooled.buffer();
        MutationHeader.write(payload, 1, 1, 0, 0, chunks);
        for (int i = 1; i <= chunks; i++) {
            payload.writeLongLE(Cid.of(0x8000, i));
        }
        for (int i = 0; i < chunks; i++) {
            payload.writeIntLE(0);
        }
        return payload;
    }

    private static ByteBuf created(int chunks) {
        ByteBuf payload = Unpooled.buffer();
        MutationHeader.write(payload, 1, 1, 0, 0, chunks);
        return payload.writeZero((1 + chunks) * Integer.BYTES);
    }

    /** This module's tests run without the compiler that would do away with garbage by itself. */
    @Test
    void check_singleChunksAndBatches_allocatesNothing() throws Exception {
        User app = user("%R^9000", "^8001", "^8000", "%R~prices:*", "+@all", "-@dangerous");
        Map<Integer, List<ByteBuf>> requests = Map.of(
                MessageType.GET, List.of(read(1), read(1_000)),
                MessageType.PUT, List.of(changed(1), changed(1_000)),
                MessageType.DELETE, List.of(changed(1), changed(1_000)),
                MessageType.CREATE, List.of(created(1), created(1_000)));
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        requests.forEach((type, payloads) -> payloads.forEach(payload -> {
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < 3; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                int denied = 0;
                for (int i = 0; i < 1_000; i++) {
                    denied += needs.check(app, type, payload) == null ? 0 : 1;
                }
                allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
                assertThat(denied).isZero();
            }
            assertThat(allocated)
                    .as(
                            "bytes of a thousand checks of '%s' with %d bytes",
                            MessageType.nameOf(type), payload.readableBytes())
                    .isLessThan(1_000);
        }));
    }
}
