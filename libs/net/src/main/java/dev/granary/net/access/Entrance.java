package dev.granary.net.access;

import dev.granary.net.message.MessageType;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What one listening port of a node takes: the requests of some roles (ADR 0363). A caller's standing is narrowed to
 * them once it has greeted, so that a request costs no further look. Immutable.
 */
public final class Entrance {

    /** Of a node with one port. */
    public static final Entrance EVERYTHING = new Entrance(Set.of(Role.values()), Map.of());

    private final Standing widest;
    private final Map<Role, String> places;

    /**
     * An entrance for some roles.
     *
     * @param places where the requests of each role go, for messages to people
     */
    Entrance(Set<Role> roles, Map<Role, String> places) {
        this.widest = Standing.of(roles);
        this.places = Map.copyOf(places);
    }

    /** Returns the roles whose requests are taken here. */
    public Set<Role> roles() {
        return widest.roles();
    }

    /** Returns what a caller may send here that may send elsewhere what its standing says. */
    public Standing narrow(Standing caller) {
        return caller.within(widest);
    }

    /**
     * Returns why a request was refused that belongs to another port of this node; empty when it belongs to this one.
     *
     * @param type the code of a {@link MessageType} that has roles
     * @param caller what the caller may send at all ports together
     */
    public Optional<String> refusal(int type, Standing caller) {
        boolean may = caller.permits(type);
        if (widest.permits(type) && !may) {
            return Optional.empty();
        }
        // Where this caller goes with it; where it may not send it at all, where those go who may.
        return RequestRoles.of(type).stream()
                .filter(role -> !may || caller.roles().contains(role))
                .findFirst()
                .map(places::get)
                .map(place -> "this port takes the requests of %s only: send '%s' to %s"
                        .formatted(widest, MessageType.nameOf(type), place));
    }
}
