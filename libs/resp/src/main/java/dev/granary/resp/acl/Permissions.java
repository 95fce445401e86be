package dev.granary.resp.acl;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Rules that say what a user may do, and nothing about how it proves who it is. */
public final class Permissions {

    private static final Set<String> OF_PROOF =
            Set.of("on", "off", "nopass", "resetpass", "reset", "skip-sanitize-payload", "sanitize-payload");

    /** What rules about passwords begin with. */
    private static final String OF_PASSWORDS = "><#!$";

    private Permissions() {}

    /**
     * Returns a user with the rules of a line, which are apart by spaces.
     *
     * @param line has a character for each byte
     * @throws RuleException when one of them cannot be applied, or is about more than permissions; the message repeats
     *     no rule of the second kind, which may be a password
     */
    public static User apply(User user, String line) throws RuleException {
        List<String> rules = List.of(line.strip().split("\\s+"));
        for (String rule : rules) {
            String bare = rule.startsWith("(") ? rule.substring(1) : rule;
            if (!bare.isEmpty() && OF_PASSWORDS.indexOf(bare.charAt(0)) >= 0) {
                throw new RuleException("a rule begins with '" + bare.charAt(0)
                        + "', which is about passwords; rules here are about commands, keys and channels only");
            }
            if (OF_PROOF.contains(bare.toLowerCase(Locale.ROOT))) {
                throw new RuleException("the rule '" + bare.toLowerCase(Locale.ROOT)
                        + "' is not allowed here; rules here are about commands, keys and channels only");
            }
        }
        return user.with(rules);
    }
}
