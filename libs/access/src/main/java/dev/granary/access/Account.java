package dev.granary.access;

import dev.granary.resp.acl.User;

/** A user as connections know it: what it may do changes for all of them at once. Thread-safe. */
public final class Account {

    private volatile User user;

    Account(User user) {
        this.user = user;
    }

    public String name() {
        return user.name();
    }

    /** Returns the user as it is now. */
    public User user() {
        return user;
    }

    void user(User changed) {
        user = changed;
    }

    /** Returns whether who has not authenticated is this user. */
    boolean isOpen() {
        User now = user;
        return now.enabled() && now.anyPassword();
    }
}
