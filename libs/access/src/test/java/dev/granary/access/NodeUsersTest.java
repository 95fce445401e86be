package dev.granary.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Logins;
import dev.granary.net.message.Empty;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.RequestWriter;
import dev.granary.resp.acl.Denial;
import dev.granary.testkit.DerivedKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Users of a node over real sockets: who may send what ({@link RequestNeeds}, {@code KeyedNeeds}), and what becomes of
 * connections ({@code ConnectionRights}).
 */
class NodeUsersTest {

    private static final int NID = 0x8000;
    private static final long CID = 0x8000_0000_0000_0005L;
    private static final long OTHER_CID = 0x8001_0000_0000_0005L;
    private static final String SECRET = "the secret of the cluster";
    private static final String DONE = "done";
    private static final long LIMIT_NANOS = 20_000_000_000L;
    private static final int LIMIT_SECONDS = 30;

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final ThreadScheduler scheduler = new ThreadScheduler("test", failure -> {});
    private final List<RpcClient> clients = new ArrayList<>();

    @TempDir
    private Path folder;

    private Access access = new Access(null, new SecureRandom());
    private @Nullable NodeUsers users;
    private HostAddress server = new HostAddress("127.0.0.1", 0);

    /** A storage peer with the NID 0x8000 that carries out whatever comes through. */
    @BeforeEach
    void serve() throws Exception {
        access.close();
        write(
                "user default off",
                "user app on >pw ^8000 %R~shared:* ~app:* +@all -@dangerous",
                "user far on >pw ^7ffe000000000000-8000ffffffffffff +chunk.create",
                "user viewer on " + DerivedKeys.of("see") + " +granary.status",
                "user root on >top ~* +@all",
                "user open on nopass ~* +@all");
        access = new Access(folder.resolve("users.acl"), new SecureRandom());
        access.begin(scheduler);
        NodeUsers made = new NodeUsers(access, new SystemClock(), scheduler, () -> NID);
        made.begin();
        users = made;
        RpcIdentity node = new RpcIdentity(
                NodeRole.STORAGE_PEER, 11, Credentials.of(ClusterSecret.of(SECRET), new SecureRandom()));
        node.takeNid(NID);
        RpcServer accepting =
                new RpcServer(node, request -> request.reply(new Empty()), new AccessLog(new SystemClock()), made);
        server = transport.listen(server, accepting).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        clients.forEach(RpcClient::close);
        if (users != null) {
            users.close();
        }
        access.close();
        transport.close();
        scheduler.close();
    }

    private void write(String... lines) throws IOException {
        Path written = Files.writeString(folder.resolve("new"), String.join("\n", lines));
        Files.move(written, folder.resolve("users.acl"), StandardCopyOption.ATOMIC_MOVE);
    }

    private RpcClient client(@Nullable String user, String password) {
        RpcIdentity identity = new RpcIdentity(NodeRole.CLIENT, 0, Credentials.none(), Logins.of(user, password, null));
        RpcClient client = new RpcClient(transport, new SystemClock(), scheduler, identity);
        clients.add(client);
        return client;
    }

    /** Returns {@link #DONE}, or why not. */
    private String send(RpcClient client, int type, Consumer<ByteBuf> payload) throws Exception {
        return client.call(server, NID, type, payload, in -> DONE, LIMIT_NANOS)
                .handle((done, failure) -> failure == null
                        ? done
                        : failure instanceof RemoteErrorException refused
                                ? refused.code() + " " + refused.getMessage()
                                : failure.toString())
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private String send(RpcClient client, MessageType<?, ?> type, Message message) throws Exception {
        return send(client, type.code(), message::writeTo);
    }

    private String get(RpcClient client, long... cids) throws Exception {
        return send(client, MessageType.GET, out -> {
            out.writeIntLE(0).writeIntLE(cids.length);
            Arrays.stream(cids).forEach(out::writeLongLE);
        });
    }

    private String put(RpcClient client, int type, long cid) throws Exception {
        return send(client, type, out -> {
            MutationHeader.write(out, 1, 1, 0, 0, 1);
            out.writeLongLE(cid).writeIntLE(0);
        });
    }

    private static void call(ByteBuf out, byte @Nullable [] watched, String... requests) {
        new GroupCalls.Head(SlotGroup.nid(1), 0, requests.length, watched == null ? 0 : 1).writeTo(out);
        if (watched != null) {
            out.writeLongLE(7).writeIntLE(watched.length).writeBytes(watched);
        }
        for (String request : requests) {
            RequestWriter.write(
                    out,
                    Arrays.stream(request.split(" "))
                            .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                            .toArray(byte[][]::new));
        }
    }

    private String keyed(RpcClient client, String... requests) throws Exception {
        String alone = send(client, MessageType.GROUP_CALL, out -> call(out, null, requests));
        String together = send(client, MessageType.GROUP_CALLS, out -> {
            new GroupCalls(0, 1).writeTo(out);
            ByteBuf one = Unpooled.buffer();
            call(one, null, requests);
            out.writeIntLE(one.readableBytes()).writeBytes(one);
        });
        assertThat(together.replace("group-calls", "group-call")).isEqualTo(alone);
        return alone;
    }

    @Test
    void send_userWithARangeOfChunks_mayUseThose() throws Exception {
        RpcClient app = client("app", "pw");
        assertThat(get(app, CID, CID + 1)).isEqualTo(DONE);
        assertThat(get(app, CID, OTHER_CID))
                .startsWith("NOT_PERMITTED")
                .contains("'app' has no permission for the chunks '^0x8001000000000005'");
        assertThat(put(app, MessageType.PUT, CID)).isEqualTo(DONE);
        assertThat(put(app, MessageType.PUT, OTHER_CID)).startsWith("NOT_PERMITTED");
        assertThat(put(app, MessageType.DELETE, OTHER_CID)).startsWith("NOT_PERMITTED");
        assertThat(put(app, MessageType.CREATE, 0))
                .as("at the peer of its chunks")
                .isEqualTo(DONE);
        assertThat(get(app)).as("nothing").isEqualTo(DONE);
        assertThat(send(app, MessageType.GET, out -> out.writeIntLE(0).writeIntLE(9)))
                .startsWith("BAD_REQUEST");
        assertThat(access.denials(Denial.Reason.KEY)).isEqualTo(3);
    }

    @Test
    void create_userWhoMayCreateOnOtherPeersOnly_isToldSo() throws Exception {
        assertThat(put(client("far", "pw"), MessageType.CREATE, 0)).isEqualTo(DONE);
        write(
                "user far on >pw %R^8000 ^8001 +chunk.create +chunk.put",
                "user near on >pw %R^* ^8001000000000001-8002fffffffffffe +chunk.create",
                "user put on >pw ^8001 +chunk.put (^8000 +chunk.get)");
        access.lookHere();
        access.lookHere();
        assertThat(put(client("far", "pw"), MessageType.CREATE, 0))
                .startsWith("OTHER_CREATOR")
                .contains("the user 'far' may create chunks on other storage peers, and not on this one")
                .contains("the permission for '^0x8000'");
        assertThat(put(client("far", "pw"), MessageType.PUT, CID)).startsWith("NOT_PERMITTED");
        assertThat(put(client("near", "pw"), MessageType.CREATE, 0))
                .as("no range has all chunks of a peer")
                .startsWith("NOT_PERMITTED");
        assertThat(put(client("put", "pw"), MessageType.CREATE, 0))
                .as("what it may not do on any peer")
                .startsWith("NOT_PERMITTED");
    }

    @Test
    void send_locksAndNames_areForThoseWhoMayUseTheChunks() throws Exception {
        RpcClient app = client("app", "pw");
        assertThat(send(app, MessageType.ACQUIRE_LOCK, new AcquireLock(CID, 1, 1_000_000_000, 0)))
                .isEqualTo(DONE);
        assertThat(send(app, MessageType.SHOW_LOCK, new ShowLock(OTHER_CID))).startsWith("NOT_PERMITTED");
        assertThat(send(app, MessageType.GET_NAME, new GetName("n")))
                .as("names are one space for all chunks")
                .startsWith("NOT_PERMITTED");
        RpcClient root = client("root", "top");
        assertThat(send(root, MessageType.GET_NAME, new GetName("n"))).isEqualTo(DONE);
        assertThat(send(
                        root,
                        MessageType.CHANGE_NAME,
                        new ChangeName(1, 1, 0, false, "n", CID, NameCondition.ALWAYS, 0)))
                .isEqualTo(DONE);
    }

    @Test
    void send_requestsOnKeys_areLookedAtKeyByKey() throws Exception {
        RpcClient app = client("app", "pw");
        assertThat(keyed(app, "SET app:1 v", "GET app:2")).isEqualTo(DONE);
        assertThat(keyed(app, "GET shared:1")).isEqualTo(DONE);
        assertThat(keyed(app, "SET shared:1 v"))
                .startsWith("NOT_PERMITTED")
                .contains("no permission for the key 'shared:1'");
        assertThat(keyed(app, "GET app:1", "GET other")).startsWith("NOT_PERMITTED");
        assertThat(keyed(app, "FLUSHALL")).contains("no permission for 'flushall'");
        assertThat(keyed(app, "NONSENSE app:1")).startsWith("NOT_PERMITTED");
        assertThat(send(
                        app,
                        MessageType.GROUP_CALL,
                        out -> call(out, "other".getBytes(StandardCharsets.US_ASCII), "GET app:1")))
                .as("a key that is watched")
                .contains("no permission for the key 'other'");
        assertThat(send(
                        app,
                        MessageType.GROUP_CALL,
                        out -> call(out, "app:2".getBytes(StandardCharsets.US_ASCII), "GET app:1")))
                .isEqualTo(DONE);
        assertThat(keyed(app, "GET")).as("without a key").startsWith("NOT_PERMITTED");
        assertThat(keyed(client("root", "top"), "GET other")).isEqualTo(DONE);
        assertThat(send(app, MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(SlotGroup.nid(1), 0, 0)))
                .as("who has the group")
                .isEqualTo(DONE);
        assertThat(send(app, MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(SlotGroup.nid(1), NID, 1)))
                .startsWith("NOT_PERMITTED");
    }

    @Test
    void send_wrongPasswordOrNobody_isNotAuthenticatedAndTold() throws Exception {
        assertThat(get(client("app", "wrong"), CID))
                .startsWith("NOT_AUTHENTICATED")
                .contains("no user 'app' that is on and has this password")
                .doesNotContain("wrong");
        assertThat(get(client("nobody", "pw"), CID)).startsWith("NOT_AUTHENTICATED");
        assertThat(get(client(null, ""), CID)).startsWith("NOT_AUTHENTICATED").contains("ClientOptions.user");
        assertThat(access.denials(Denial.Reason.AUTH)).isEqualTo(2);
        assertThat(access.log().newest(9)).extracting(AclLog.Entry::user).containsExactly("nobody", "app");
    }

    @Test
    void send_administration_isForUsersWithAPasswordAndTheRule() throws Exception {
        RpcClient viewer = client("viewer", "see");
        assertThat(send(viewer, MessageType.CLUSTER_STATUS, new Empty())).isEqualTo(DONE);
        assertThat(send(viewer, MessageType.ABORT_PLAN, new AbortPlan(1, 1)))
                .contains("no permission for 'granary.plan'");
        assertThat(get(viewer, CID)).contains("no permission for 'chunk.get'");
        assertThat(send(viewer, MessageType.GET_RING, new Empty()))
                .as("where nodes are")
                .isEqualTo(DONE);
        assertThat(send(client("root", "top"), MessageType.ABORT_PLAN, new AbortPlan(1, 1)))
                .isEqualTo(DONE);
        assertThat(send(client("open", "any"), MessageType.ABORT_PLAN, new AbortPlan(1, 1)))
                .as("without a password")
                .contains("only [administrators]");
        assertThat(get(client("open", "any"), CID)).isEqualTo(DONE);
    }

    @Test
    void connection_userIsChangedOrRemoved_followsAtOnceAndIsClosed() throws Exception {
        RpcClient app = client("app", "pw");
        RpcClient root = client("root", "top");
        assertThat(get(app, CID)).isEqualTo(DONE);
        assertThat(get(root, CID)).isEqualTo(DONE);
        write("user default off", "user app on >pw ^8001 +chunk.get");
        for (int i = 0; i < 100 && get(app, CID).equals(DONE); i++) {
            Thread.sleep(100);
        }
        assertThat(get(app, CID)).startsWith("NOT_PERMITTED");
        assertThat(get(app, OTHER_CID)).isEqualTo(DONE);
        for (int i = 0; i < 100 && !get(root, CID).contains("has this password"); i++) {
            Thread.sleep(100);
        }
        assertThat(get(root, CID)).as("of a new connection").contains("has this password");
    }

    @Test
    void send_defaultUserIsOpen_needsNoLoginAndAdministersNothing() throws Exception {
        access.accounts().set("default", List.of("on", "nopass", "^8000", "+@all"));
        RpcClient anybody = client(null, "");
        assertThat(get(anybody, CID)).isEqualTo(DONE);
        assertThat(get(anybody, OTHER_CID)).startsWith("NOT_PERMITTED");
        assertThat(send(anybody, MessageType.CLUSTER_STATUS, new Empty())).contains("only [administrators]");
    }

    @Test
    void begin_fileHasErrors_saysWhereAndWhatToDo() throws Exception {
        Path file = Files.writeString(folder.resolve("bad.acl"), "user default on ^80\n");
        try (Access bad = new Access(file, new SecureRandom())) {
            assertThatThrownBy(() -> bad.begin(scheduler))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("bad.acl:1")
                    .hasMessageContaining("four hexadecimal digits")
                    .hasMessageContaining("users.file");
        }
    }
}
