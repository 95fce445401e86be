package dev.granary.net.access;

import java.util.EnumSet;
import java.util.Set;

/**
 * What the caller of a connection may send, by what it has said and proved about itself. Immutable. Whatever proves a
 * caller's identity, a secret today, ends in such a set of roles.
 */
public final class Standing {

    /** Of a caller that has not greeted. */
    public static final Standing NOBODY = new Standing(EnumSet.noneOf(Role.class));

    private final Set<Role> roles;
    private final int bits;

    private Standing(Set<Role> roles) {
        this.roles = roles;
        this.bits = roles.stream().mapToInt(Role::bit).sum();
    }

    /** Returns what a caller with these roles may send. */
    public static Standing of(Role first, Role... more) {
        return new Standing(EnumSet.of(first, more));
    }

    /** Returns whether the caller may send requests of this type. It is one look into an array. */
    public boolean permits(int type) {
        return RequestRoles.permits(type, bits);
    }

    /** Returns the roles, for messages to people. */
    @Override
    public String toString() {
        return roles.toString();
    }
}
