package dev.granary.operator.user;

import dev.granary.resp.acl.Passwords;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The keys that were derived from passwords. A derivation takes a tenth of a second of a processor and more, so it is
 * done once for each version of a password, and a derived key that still fits is not replaced: a file that stays the
 * same is not read again. Thread-safe; derivations run beside each other.
 */
public final class DerivedKeys {
    private static final int MOST = 10_000;

    private final RandomGenerator random;
    private final Map<String, String> known = Collections.synchronizedMap(new RecentlyUsed());

    /** @param random draws salts, on any thread; nobody can predict it */
    public DerivedKeys(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Returns the derived key of a password.
     *
     * @param version stands for the password: another one stands for another password, or another user
     * @param password has a character for each byte
     * @param present the derived keys that the user has now; if one of them is of this password, it stays
     */
    public String of(String version, String password, List<String> present) {
        String before = known.get(version);
        if (before != null) {
            return before;
        }
        String key = present.stream()
                .filter(each -> Passwords.isOf(each, password))
                .findFirst()
                .orElseGet(() -> Passwords.derive(password, random));
        known.put(version, key);
        return key;
    }

    /** Forgotten keys are looked for again. */
    private static final class RecentlyUsed extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1L;

        RecentlyUsed() {
            super(64, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MOST;
        }
    }
}
