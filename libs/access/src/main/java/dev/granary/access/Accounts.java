package dev.granary.access;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.resp.acl.RuleException;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The users of a node. There is always one named {@code default}. Thread-safe. */
public final class Accounts {

    private final RuleNames names;
    private final Account ofAll;

    @GuardedBy("this")
    private final SortedMap<String, Account> byName = new TreeMap<>();

    public Accounts(RuleNames names) {
        this.names = names;
        this.ofAll = new Account(User.unlimited(names));
        byName.put(User.DEFAULT, ofAll);
    }

    RuleNames names() {
        return names;
    }

    /** Returns the account of the default user, which everybody is first. It is never another one. */
    public Account ofAll() {
        return ofAll;
    }

    /** Returns whether who has not authenticated is the default user. */
    public boolean isOpen() {
        return ofAll.isOpen();
    }

    public synchronized @Nullable Account find(String name) {
        return byName.get(name);
    }

    /** Returns all users in the order of their names. */
    public synchronized List<User> users() {
        return byName.values().stream().map(Account::user).toList();
    }

    /**
     * Changes a user, or makes a new one.
     *
     * @throws RuleException when a rule cannot be applied; nothing has changed then
     */
    public synchronized void set(String name, List<String> rules) throws RuleException {
        Account account = byName.get(name);
        User changed = (account == null ? User.create(name, names) : account.user()).with(rules);
        if (account == null) {
            byName.put(name, new Account(changed));
        } else {
            account.user(changed);
        }
    }

    /** Removes a user that is not the default one; returns its account, null when there is none. */
    public synchronized @Nullable Account remove(String name) {
        if (name.equals(User.DEFAULT)) {
            throw new IllegalArgumentException("the default user cannot be removed");
        }
        Account removed = byName.remove(name);
        if (removed != null) {
            end(removed);
        }
        return removed;
    }

    /** Whoever is this user may do nothing any more. */
    private void end(Account account) {
        account.user(User.create(account.name(), names));
    }

    /** Replaces all users. Returns the accounts that are gone or disabled: their clients have to go. */
    synchronized List<Account> replace(Collection<User> users) {
        Set<String> left = new HashSet<>();
        List<Account> gone = new ArrayList<>();
        for (User user : users) {
            left.add(user.name());
            Account account = byName.get(user.name());
            if (account == null) {
                byName.put(user.name(), new Account(user));
            } else {
                account.user(user);
                if (!user.enabled()) {
                    gone.add(account);
                }
            }
        }
        byName.values().stream()
                .filter(account -> !left.contains(account.name()))
                .forEach(account -> {
                    end(account);
                    gone.add(account);
                });
        byName.keySet().retainAll(left);
        return gone;
    }
}
