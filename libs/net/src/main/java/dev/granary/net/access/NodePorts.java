package dev.granary.net.access;

import dev.granary.net.message.NodeRole;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The ports that all nodes of a cluster have beside the one that each advertises, the same numbers on all nodes (ADR
 * 0363). A node is reached there at the host of its advertised address. Immutable.
 *
 * <pre>
 *   port            OPEN, USED     CLOSED
 *   advertised      everything     clients, and whoever has no port of its own
 *   inside          nodes          nodes
 *   admin           administrators administrators
 *
 *   calls of nodes go to the advertised port in OPEN, to the inside port in USED and CLOSED
 * </pre>
 *
 * <p>Between two phases that follow each other all nodes reach each other, so a running cluster gets its ports by three
 * rolling restarts.
 *
 * @param inside the port for requests of nodes; 0 when they go to the advertised one
 * @param admin the port for requests of administrators; 0 when they go to the advertised one
 * @param phase how far the ports are in use
 */
public record NodePorts(int inside, int admin, Phase phase) {

    /** One port for everything. */
    public static final NodePorts NONE = new NodePorts(0, 0, Phase.CLOSED);

    private static final Set<Role> NODES = Set.of(Role.STORAGE_PEER, Role.SUPER_PEER);

    /** How far the ports are in use. */
    public enum Phase {
        /** They are open, and no node calls them. */
        OPEN,
        /** Nodes call the inside port, and the advertised port still takes everything. */
        USED,
        /** Each port takes its own requests only. */
        CLOSED
    }

    /** Checks the numbers. */
    public NodePorts {
        if (inside != 0 && inside == admin) {
            throw new IllegalArgumentException("the inside port and the admin port are both " + inside);
        }
    }

    /**
     * Returns the ports as a client knows them, which calls no inside port.
     *
     * @param admin the port for requests of administrators; 0 when they go to the advertised one
     */
    public static NodePorts ofClient(int admin) {
        return new NodePorts(0, admin, Phase.CLOSED);
    }

    /** Returns whether there is a port beside the advertised one. */
    public boolean exist() {
        return inside != 0 || admin != 0;
    }

    /**
     * Returns the port to which a caller sends a request; 0 for the advertised one.
     *
     * @param type the code of a {@link dev.granary.net.message.MessageType}
     */
    public int portOf(NodeRole caller, int type) {
        if (phase == Phase.OPEN) {
            return 0;
        }
        if (caller != NodeRole.CLIENT) {
            return inside;
        }
        return RequestRoles.permits(type, Role.CLIENT.bit()) ? 0 : admin;
    }

    /**
     * Returns the entrance at the port that the node advertises.
     *
     * @param advertised its number, for messages to people
     */
    public Entrance advertised(int advertised) {
        if (phase != Phase.CLOSED || !exist()) {
            return Entrance.EVERYTHING;
        }
        Set<Role> roles = EnumSet.allOf(Role.class);
        if (inside != 0) {
            roles.removeAll(NODES);
        }
        if (admin != 0) {
            roles.remove(Role.ADMINISTRATOR);
        }
        return new Entrance(roles, places(advertised));
    }

    /**
     * Returns the entrances at the other ports, by port.
     *
     * @param advertised the number of the port that the node advertises, for messages to people
     */
    public Map<Integer, Entrance> others(int advertised) {
        Map<Integer, Entrance> others = new TreeMap<>();
        if (inside != 0) {
            others.put(inside, new Entrance(NODES, places(advertised)));
        }
        if (admin != 0) {
            others.put(admin, new Entrance(Set.of(Role.ADMINISTRATOR), places(advertised)));
        }
        return others;
    }

    /** Says for each role where its requests go. */
    private Map<Role, String> places(int advertised) {
        String forAll = "port %d of this node (listen.port)".formatted(advertised);
        String forNodes = inside == 0
                ? forAll
                : "port %d of this node (set inside.port of the caller as it is set here)".formatted(inside);
        String forAdministrators = admin == 0
                ? forAll
                : "port %d of this node (--admin-port of the command line, adminPort of the Java client)"
                        .formatted(admin);
        Map<Role, String> places = new EnumMap<>(Role.class);
        places.put(Role.CLIENT, forAll);
        places.put(Role.ADMINISTRATOR, forAdministrators);
        places.put(Role.STORAGE_PEER, forNodes);
        places.put(Role.SUPER_PEER, forNodes);
        return places;
    }
}
