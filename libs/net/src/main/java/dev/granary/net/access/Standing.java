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

    /** Returns what a caller with these roles may send; nothing when there are none. */
    static Standing of(Set<Role> roles) {
        Set<Role> copy = EnumSet.noneOf(Role.class);
        copy.addAll(roles);
        return new Standing(copy);
    }

    /** Returns the part of this standing that another one has, too. */
    Standing within(Standing other) {
        Set<Role> both = EnumSet.noneOf(Role.class);
        both.addAll(roles);
        both.retainAll(other.roles);
        return new Standing(both);
    }

    Set<Role> roles() {
        return Set.copyOf(roles);
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
