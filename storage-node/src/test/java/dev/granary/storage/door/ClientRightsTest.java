package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.ClientRights;
import dev.granary.storage.door.state.DoorState;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of a user before each request of a door. */
class ClientRightsTest {

    private static final int REQUESTS = 2_000;

    @TempDir
    private Path folder;

    private static Command command(DoorState state, RequestDecoder decoder) {
        Command found = state.table().find(decoder.request());
        assertThat(found).isNotNull();
        return found;
    }

    /** This module's tests run without the compiler that would do away with garbage by itself. */
    @Test
    void allow_userWithPatternsOfKeys_allocatesNothing() throws Exception {
        Path users = Files.writeString(
                folder.resolve("users.acl"),
                "user default on nopass %R~prices:* ~shop:*:cart ~shop:[a-f]* +@read +@write -@dangerous");
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (OpenDoor door = new OpenDoor(users);
                RequestDecoder decoder =
                        new RequestDecoder(RequestLimits.DEFAULT, new UnpooledByteBufAllocator(false))) {
            decoder.authenticated(true);
            DoorState state = door.door().state();
            ClientRights rights = new ClientRights(
                    state, new Client(1, "c:1", "c", "d:1", 0, state.access().accounts(), NoLink.INSTANCE));
            for (String[] words : new String[][] {
                {"GET", "prices:1"},
                {"GET", "shop:abc:17"},
                {"SET", "shop:zzz:cart", "v"},
                {"SET", "shop:b", "v", "EX", "9"}
            }) {
                decoder.add(Unpooled.wrappedBuffer(RespClient.request(words)));
                assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
                Command command = command(state, decoder);
                long allocated = Long.MAX_VALUE;
                for (int round = 0; round < 3; round++) {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    int refused = 0;
                    for (int i = 0; i < REQUESTS; i++) {
                        refused += rights.allow(command, decoder.request()) ? 0 : 1;
                        refused += rights.refusal(command, decoder.request()) == null ? 0 : 1;
                    }
                    allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
                    assertThat(refused).as(String.join(" ", words)).isZero();
                }
                assertThat(allocated)
                        .as("bytes of %d checks of %s", 2 * REQUESTS, String.join(" ", words))
                        .isLessThan(REQUESTS);
            }
        }
    }
}
