package dev.granary.net.access;

import static dev.granary.net.access.Role.ADMINISTRATOR;
import static dev.granary.net.access.Role.CLIENT;
import static dev.granary.net.access.Role.STORAGE_PEER;
import static dev.granary.net.access.Role.SUPER_PEER;

import dev.granary.net.message.MessageType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * The roles that may send each request, for all request types in one table (ADR 0324). A type that is not in the table
 * may be sent by nobody.
 */
public final class RequestRoles {

    /** Larger than each code of a {@link MessageType}. */
    private static final int CODES = 256;

    /** For each code the roles, one bit each. */
    private static final byte[] ROLES = new byte[CODES];

    static {
        // The connection itself answers the hello and the proof, before a caller has roles, and the login.
        permit(Set.of(Role.values()), MessageType.HELLO, MessageType.PROVE, MessageType.LOGIN);

        // Where nodes and data are: everybody has to find them.
        permit(Set.of(Role.values()), MessageType.GET_RING, MessageType.LIST_PEERS, MessageType.ASK_PEER);
        permit(Set.of(CLIENT), MessageType.LOOKUP, MessageType.AWAIT_OWNER, MessageType.CREATOR_RANGES);

        // Data: chunks, names, locks, keys.
        permit(
                Set.of(CLIENT),
                MessageType.CREATE,
                MessageType.GET,
                MessageType.PUT,
                MessageType.DELETE,
                MessageType.FENCE);
        permit(
                Set.of(CLIENT),
                MessageType.FIND_CREATED,
                MessageType.CHANGE_NAME,
                MessageType.GET_NAME,
                MessageType.LIST_NAMES,
                MessageType.ACQUIRE_LOCK,
                MessageType.RENEW_LOCK,
                MessageType.RELEASE_LOCK,
                MessageType.SHOW_LOCK);
        // A storage peer hands the requests of its Redis door on to the owners of the keys.
        permit(Set.of(CLIENT, STORAGE_PEER), MessageType.GROUP_CALL, MessageType.GROUP_CALLS);
        permit(Set.of(CLIENT, STORAGE_PEER), MessageType.OPEN_SLOT_GROUP);

        // Administration.
        permit(
                Set.of(ADMINISTRATOR),
                MessageType.CLUSTER_STATUS,
                MessageType.START_PLAN,
                MessageType.LIST_PLANS,
                MessageType.ABORT_PLAN,
                MessageType.RECOVER_ZONE,
                MessageType.HIBERNATE,
                MessageType.UNPARK_PEER,
                MessageType.RESIZE_RING,
                MessageType.REBUILD_RING,
                MessageType.HOT_KEYS,
                MessageType.LIST_CREATORS,
                MessageType.BEGIN_RESTORE,
                MessageType.END_RESTORE,
                MessageType.RESTORE_PEER);
        permit(Set.of(ADMINISTRATOR, STORAGE_PEER), MessageType.RESTORE_CREATOR);

        // Migrations: people and plans begin them, storage peers carry them out. A restore lays chunks down as one.
        permit(Set.of(ADMINISTRATOR, SUPER_PEER), MessageType.MIGRATE, MessageType.ABORT_MIGRATION);
        permit(Set.of(ADMINISTRATOR, STORAGE_PEER, SUPER_PEER), MessageType.ASK_MIGRATION, MessageType.END_MIGRATION);
        permit(Set.of(ADMINISTRATOR, STORAGE_PEER), MessageType.COMMIT_MIGRATION);
        permit(Set.of(ADMINISTRATOR, STORAGE_PEER), MessageType.MIGRATION_DATA);
        permit(Set.of(SUPER_PEER), MessageType.RUN_MIGRATION, MessageType.SURVEY, MessageType.DRAIN_PEER);

        // Storage peers to the super-peers of their arcs.
        permit(
                Set.of(STORAGE_PEER),
                MessageType.ASSIGN_NID,
                MessageType.OPEN_LEASE,
                MessageType.RENEW_LEASE,
                MessageType.RESERVE_LIDS,
                MessageType.CLOSE_LEASE,
                MessageType.PARK_PEER,
                MessageType.AWAY_RANGES,
                MessageType.REPORT_LOAD,
                MessageType.OPEN_ZONE,
                MessageType.CHANGE_COPIES,
                MessageType.RECOVERED,
                MessageType.LIST_ZONES,
                MessageType.REPORT_LOST_COPIES,
                MessageType.ZONE_RANGES,
                MessageType.EXTEND_SLOT_GROUP,
                MessageType.LIST_SLOT_GROUPS);

        // Storage peers to each other: copies.
        permit(Set.of(STORAGE_PEER), MessageType.REPLICATE, MessageType.FILL_DATA);
        permit(Set.of(STORAGE_PEER), MessageType.OPEN_COPIES, MessageType.COPY_FILLED, MessageType.FETCH_COPY);

        // Super-peers to storage peers.
        permit(Set.of(STORAGE_PEER, SUPER_PEER), MessageType.DROP_COPIES);
        permit(
                Set.of(SUPER_PEER),
                MessageType.SEAL_ZONES,
                MessageType.LIST_COPIES,
                MessageType.FILL_COPY,
                MessageType.RUN_RECOVERY,
                MessageType.REPORT_HOLDINGS,
                MessageType.SAVE_NAMES,
                MessageType.LIST_NAME_COPIES,
                MessageType.FETCH_NAMES);

        // Super-peers to each other.
        permit(
                Set.of(SUPER_PEER),
                MessageType.RAFT,
                MessageType.JOIN_RING,
                MessageType.ANNOUNCE,
                MessageType.ARC_PART,
                MessageType.SWITCH_RING,
                MessageType.RING_VIEW,
                MessageType.LIST_WORK,
                MessageType.ZONE_STATUS);
    }

    private RequestRoles() {}

    /**
     * Returns the roles that may send a request; none when the type is not known.
     *
     * @param type the code of a {@link MessageType}
     */
    public static Set<Role> of(int type) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        Arrays.stream(Role.values()).filter(role -> permits(type, role.bit())).forEach(roles::add);
        return roles;
    }

    /** Returns whether one of these roles, a bit each, may send the request. */
    static boolean permits(int type, int roles) {
        return type < CODES && (ROLES[type] & roles) != 0;
    }

    private static void permit(Set<Role> roles, MessageType<?, ?>... types) {
        for (MessageType<?, ?> type : types) {
            permit(roles, type.code());
        }
    }

    private static void permit(Set<Role> roles, int... types) {
        for (int type : types) {
            if (ROLES[type] != 0) {
                throw new IllegalStateException("'" + MessageType.nameOf(type) + "' is in the table twice");
            }
            for (Role role : roles) {
                ROLES[type] |= (byte) role.bit();
            }
        }
    }
}
