package dev.granary.access;

import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.resp.acl.ChunkNeeds;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.Selector;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandFlag;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a user needs for each request of clients and administrators, for all types in one table (ADR 0348): the command
 * that stands for the request in rules, and the chunks or keys that it is about. A type that is not in the table is for
 * nobody who is subject to users. Immutable.
 *
 * <p>Which right on a chunk is needed, the command says: one with the flag {@code write} needs to write it.
 */
final class RequestNeeds {

    /** Larger than each code of a {@link MessageType}. */
    private static final int CODES = 256;

    /** Where the number of chunks is behind which their CIDs follow, see {@link ChunkLayouts}. */
    private static final int COUNT_OF_READS = Integer.BYTES;

    private static final int COUNT_OF_CHANGES = MutationHeader.BYTES - Integer.BYTES;

    private static final long ALL_FROM = 0;
    private static final long ALL_TO = -1;

    private final RuleNames names;
    private final IntSupplier nid;
    private final @Nullable Need[] needs = new Need[CODES];

    /** By the code of each request that changes the cluster itself, its command. */
    private final @Nullable Command[] administered = new Command[CODES];

    /**
     * What a request needs.
     *
     * @param command that stands for the request; null where there is none, or several
     */
    private record Need(@Nullable Command command, Check check) {}

    /** Compares a request with what a user may do. */
    @FunctionalInterface
    private interface Check {

        /** Returns why a request is refused, null when it is not. The payload's reader index stays. */
        @Nullable
        Denial check(User user, ByteBuf payload);
    }

    /** @param nid of this node, which is the creator of what it creates */
    RequestNeeds(RuleNames names, IntSupplier nid) {
        this.names = names;
        this.nid = nid;
        placesOfData();
        chunks();
        namesAndLocks();
        KeyedNeeds keyed = new KeyedNeeds(names);
        put(MessageType.GROUP_CALL, new Need(null, keyed::one));
        put(MessageType.GROUP_CALLS, new Need(null, keyed::several));
        administration();
    }

    private void placesOfData() {
        Stream.of(
                        MessageType.GET_RING,
                        MessageType.LIST_PEERS,
                        MessageType.ASK_PEER,
                        MessageType.LOOKUP,
                        MessageType.AWAIT_OWNER,
                        MessageType.CREATOR_RANGES)
                .forEach(type -> put(type.code(), new Need(null, (user, payload) -> null)));
        // Clients ask for the owner of a group. To open one for a storage peer is that storage peer's business.
        put(MessageType.OPEN_SLOT_GROUP.code(), new Need(null, (user, payload) -> {
            int owner =
                    MessageType.OPEN_SLOT_GROUP.readRequest(payload.duplicate()).ownerNid();
            return owner == Nid.NONE ? null : new Denial(Denial.Reason.COMMAND, MessageType.OPEN_SLOT_GROUP.name(), 0);
        }));
    }

    private void chunks() {
        Command create = command("chunk.create");
        put(MessageType.CREATE, new Need(create, creating(create)));
        put(MessageType.FIND_CREATED.code(), new Need(create, (user, payload) -> {
            List<Long> cids =
                    MessageType.FIND_CREATED.readRequest(payload.duplicate()).cids();
            return user.check(create, cids, RequestNeeds::lackToChange);
        }));
        put(MessageType.GET, ofChunks(command("chunk.get"), false, COUNT_OF_READS));
        put(MessageType.PUT, ofChunks(command("chunk.put"), true, COUNT_OF_CHANGES));
        put(MessageType.DELETE, ofChunks(command("chunk.del"), true, COUNT_OF_CHANGES));
        // A token that nobody has ends all changes by those who have locks.
        put(MessageType.FENCE, ofChunks(command("chunk.lock"), true, COUNT_OF_READS));
    }

    private void namesAndLocks() {
        put(MessageType.GET_NAME.code(), ofAllChunks(command("chunk.name|get")));
        put(MessageType.LIST_NAMES.code(), ofAllChunks(command("chunk.name|list")));
        Need set = ofAllChunks(command("chunk.name|set"));
        Need remove = ofAllChunks(command("chunk.name|del"));
        put(MessageType.CHANGE_NAME.code(), new Need(set.command, (user, payload) -> {
            long cid = MessageType.CHANGE_NAME.readRequest(payload.duplicate()).cid();
            return (cid == Cid.NONE ? remove : set).check.check(user, payload);
        }));
        put(MessageType.ACQUIRE_LOCK.code(), ofFirstChunk(command("chunk.lock")));
        put(MessageType.RENEW_LOCK.code(), ofFirstChunk(command("chunk.renew")));
        put(MessageType.RELEASE_LOCK.code(), ofFirstChunk(command("chunk.unlock")));
        put(MessageType.SHOW_LOCK.code(), ofFirstChunk(command("chunk.lockinfo")));
    }

    private void administration() {
        administer(
                "granary.status",
                MessageType.CLUSTER_STATUS,
                MessageType.LIST_PLANS,
                MessageType.LIST_CREATORS,
                MessageType.ASK_MIGRATION);
        administer("granary.plan", MessageType.START_PLAN, MessageType.ABORT_PLAN);
        administer("granary.migrate", MessageType.MIGRATE, MessageType.ABORT_MIGRATION);
        administer("granary.recover", MessageType.RECOVER_ZONE);
        administer("granary.hibernate", MessageType.HIBERNATE, MessageType.UNPARK_PEER);
        administer("granary.ring", MessageType.RESIZE_RING, MessageType.REBUILD_RING);
        administer(
                "granary.restore",
                MessageType.BEGIN_RESTORE,
                MessageType.END_RESTORE,
                MessageType.RESTORE_PEER,
                MessageType.RESTORE_CREATOR,
                // A restore lays chunks down as a migration does; other migrations end by themselves.
                MessageType.COMMIT_MIGRATION,
                MessageType.END_MIGRATION);
        put(MessageType.MIGRATION_DATA, ofNoChunks(command("granary.restore")));
        // Keys are data: any key may be among them.
        Command status = command("granary.status");
        put(
                MessageType.HOT_KEYS.code(),
                new Need(
                        status,
                        (user, payload) -> user.check(
                                status,
                                payload,
                                (permissions, any) -> permissions.allowsToReadAllKeys() ? null : "*")));
    }

    private void administer(String name, MessageType<?, ?>... types) {
        Command command = command(name);
        Arrays.stream(types).forEach(type -> put(type.code(), ofNoChunks(command)));
    }

    private void put(int type, Need need) {
        if (needs[type] != null) {
            throw new IllegalStateException("'" + MessageType.nameOf(type) + "' is in the table twice");
        }
        needs[type] = need;
        Command command = need.command;
        if (command != null
                && command.flags().contains(CommandFlag.ADMIN)
                && !command.flags().contains(CommandFlag.READONLY)) {
            administered[type] = command;
        }
    }

    private Command command(String name) {
        Command found = names.find(name);
        if (found == null) {
            throw new IllegalStateException("rules know no command '" + name + "'");
        }
        return found;
    }

    private static boolean isChange(Command command) {
        return command.flags().contains(CommandFlag.WRITE);
    }

    private static Need ofNoChunks(Command command) {
        return new Need(command, (user, payload) -> user.check(command));
    }

    /** Of what is one for all chunks. */
    private static Need ofAllChunks(Command command) {
        boolean isChange = isChange(command);
        ChunkNeeds<ByteBuf> all =
                (permissions, payload) -> permissions.allowsChunks(!isChange, isChange, ALL_FROM, ALL_TO) ? null : "^*";
        return new Need(command, (user, payload) -> user.check(command, payload, all));
    }

    /** Of a payload that begins with a CID. */
    private static Need ofFirstChunk(Command command) {
        boolean isChange = isChange(command);
        ChunkNeeds<ByteBuf> first =
                (permissions, payload) -> lack(permissions, isChange, payload.getLongLE(payload.readerIndex()));
        return new Need(command, (user, payload) -> user.check(command, payload, first));
    }

    /** Of a payload that has CIDs behind their number. */
    private static Need ofChunks(Command command, boolean isChange, int countAt) {
        ChunkNeeds<ByteBuf> each = (permissions, payload) -> lack(permissions, isChange, payload, countAt);
        return new Need(command, (user, payload) -> user.check(command, payload, each));
    }

    private static @Nullable String lack(Selector permissions, boolean isChange, ByteBuf payload, int countAt) {
        int at = payload.readerIndex() + countAt;
        int left = payload.readableBytes() - countAt - Integer.BYTES;
        int count = left < 0 ? -1 : payload.getIntLE(at);
        if (count < 0 || (long) count * Long.BYTES > left) {
            throw new FrameException(count + " chunks in front of " + left + " bytes");
        }
        String lack = null;
        for (int i = 0; lack == null && i < count; i++) {
            at += i == 0 ? Integer.BYTES : Long.BYTES;
            lack = lack(permissions, isChange, payload.getLongLE(at));
        }
        return lack;
    }

    private static @Nullable String lack(Selector permissions, boolean isChange, long cid) {
        return permissions.allowsChunks(!isChange, isChange, cid, cid) ? null : "^" + Cid.toHex(cid);
    }

    private static @Nullable String lackToChange(Selector permissions, List<Long> cids) {
        return cids.stream()
                .map(cid -> lack(permissions, true, cid))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private Check creating(Command create) {
        ChunkNeeds<ByteBuf> needed = (permissions, payload) -> lackToCreate(permissions);
        return (user, payload) -> user.check(create, payload, needed);
    }

    private @Nullable String lackToCreate(Selector permissions) {
        int creator = nid.getAsInt();
        boolean allows = permissions.allowsChunks(false, true, Cid.of(creator, 0), Cid.lastOf(creator));
        return allows ? null : "^" + Nid.toHex(creator);
    }

    /** Returns whether a user that may not create chunks on this node may do so on other storage peers. */
    boolean allowsToCreateElsewhere(User user) {
        Command create = command("chunk.create");
        return user.check(create, create, (permissions, any) -> permissions.allowsACreator() ? null : "^*") == null;
    }

    /**
     * Returns why a user may not send a request, null when it may. The payload's reader index stays.
     *
     * @throws FrameException when the payload cannot be read
     */
    @Nullable
    Denial check(User user, int type, ByteBuf payload) {
        Need need = type < CODES ? needs[type] : null;
        return need == null
                ? new Denial(Denial.Reason.COMMAND, MessageType.nameOf(type), 0)
                : need.check.check(user, payload);
    }

    /** Returns the command of a request that changes the cluster itself; null for any other request. */
    @Nullable
    Command administrates(int type) {
        return type < CODES ? administered[type] : null;
    }

    /** Returns whether the table has a type. */
    boolean knows(int type) {
        return needs[type] != null;
    }
}
