package dev.granary.net.access;

/** As what a caller may send requests. A caller may have several roles: an administrator is a client, too. */
public enum Role {
    /** Reads and changes data, and asks where it is. */
    CLIENT("clients"),
    /** Sees and changes the cluster itself: plans, migrations, backups, hibernation, the ring. */
    ADMINISTRATOR("administrators"),
    STORAGE_PEER("storage peers"),
    SUPER_PEER("super-peers");

    private final String people;

    Role(String people) {
        this.people = people;
    }

    /** The role's bit in a set of roles. */
    int bit() {
        return 1 << ordinal();
    }

    /** Returns who has the role, for messages to people. */
    @Override
    public String toString() {
        return people;
    }
}
