package dev.granary.net.access;

/** As what a caller may send requests. A caller may have several roles: an administrator is a client, too. */
public enum Role {
    /** Reads and changes data, and asks where it is. */
    CLIENT("clients", 1),
    /** Sees and changes the cluster itself: plans, migrations, backups, hibernation, the ring. */
    ADMINISTRATOR("administrators", 2),
    STORAGE_PEER("storage peers", 4),
    SUPER_PEER("super-peers", 8);

    private final String people;
    private final int bit;

    Role(String people, int bit) {
        this.people = people;
        this.bit = bit;
    }

    /** The role's bit in a set of roles. */
    int bit() {
        return bit;
    }

    /** Returns who has the role, for messages to people. */
    @Override
    public String toString() {
        return people;
    }
}
