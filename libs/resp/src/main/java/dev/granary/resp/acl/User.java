package dev.granary.resp.acl;

import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.KeyPositions;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A user: how it proves who it is, and what it may do. Immutable; each rule makes another one. Texts have a character
 * for each byte.
 *
 * @param enabled whether anybody can authenticate as this user
 * @param anyPassword whether every password will do
 * @param skipsSanitizing a flag that Redis has, which is only kept
 * @param passwords what passwords must agree with, see {@link Passwords}
 * @param root its permissions
 * @param selectors more of them, each by itself
 */
public record User(
        String name,
        boolean enabled,
        boolean anyPassword,
        boolean skipsSanitizing,
        List<String> passwords,
        Selector root,
        List<Selector> selectors,
        RuleNames names) {

    /** The user that everybody is who has not authenticated. */
    public static final String DEFAULT = "default";

    /** Returns a user that may do nothing yet. */
    public static User create(String name, RuleNames names) {
        return new User(name, false, false, false, List.of(), Selector.nothing(names), List.of(), names);
    }

    /** Returns the default user where nobody has defined one: it needs no password, and may do everything. */
    public static User unlimited(RuleNames names) {
        return new User(DEFAULT, true, true, false, List.of(), Selector.everything(names), List.of(), names);
    }

    /** Returns whether a text has characters that are in no name and in no pattern. */
    static boolean hasSpaces(String text) {
        return text.chars().anyMatch(letter -> letter == 0 || Character.isWhitespace(letter));
    }

    /** Returns whether a user can have a name. */
    public static boolean isName(String name) {
        return !hasSpaces(name);
    }

    /** Returns whether nothing is forbidden. */
    public boolean isUnlimited() {
        return root.allowsAll();
    }

    /**
     * Returns the user after some rules.
     *
     * @throws RuleException when one of them cannot be applied; it says which
     */
    public User with(List<String> rules) throws RuleException {
        User user = this;
        for (String rule : merged(rules)) {
            try {
                user = user.with(rule);
            } catch (RuleException e) {
                throw new RuleException("Error in ACL SETUSER modifier '" + rule + "': " + e.getMessage());
            }
        }
        return user;
    }

    /** Puts selectors together whose rules came as arguments of their own. */
    private static List<String> merged(List<String> rules) throws RuleException {
        List<String> whole = new ArrayList<>();
        StringBuilder selector = null;
        String first = "";
        for (String rule : rules) {
            if (selector == null && rule.startsWith("(") && !rule.endsWith(")")) {
                selector = new StringBuilder(rule);
                first = rule;
            } else if (selector == null) {
                whole.add(rule);
            } else {
                selector.append(' ').append(rule);
                if (rule.endsWith(")")) {
                    whole.add(selector.toString());
                    selector = null;
                }
            }
        }
        if (selector != null) {
            throw new RuleException("Unmatched parenthesis in acl selector starting at '" + first + "'.");
        }
        return whole;
    }

    private User with(String rule) throws RuleException {
        if (rule.isEmpty()) {
            return this;
        }
        switch (rule.toLowerCase(Locale.ROOT)) {
            case "on", "off" -> {
                return enabled(rule.equalsIgnoreCase("on"));
            }
            case "skip-sanitize-payload", "sanitize-payload" -> {
                boolean skips = rule.length() > "sanitize-payload".length();
                return new User(name, enabled, anyPassword, skips, passwords, root, selectors, names);
            }
            case "nopass" -> {
                return withPasswords(true, List.of());
            }
            case "resetpass" -> {
                return withPasswords(false, List.of());
            }
            case "clearselectors" -> {
                return withPermissions(root, List.of());
            }
            case "reset" -> {
                return create(name, names);
            }
            default -> {
                return withOther(rule);
            }
        }
    }

    private User withOther(String rule) throws RuleException {
        return switch (rule.charAt(0)) {
            case '>' -> withPassword(Passwords.hash(rule.substring(1)));
            case '#' -> withPassword(Passwords.requireHash(rule.substring(1)));
            case '$' -> withPassword(Passwords.requireDerived(rule));
            case '<' -> withoutPassword(Passwords.hash(rule.substring(1)));
            case '!' -> withoutPassword(Passwords.requireHashOrDerived(rule.substring(1)));
            case '(' -> withSelector(rule);
            default -> withPermissions(root.with(rule), selectors);
        };
    }

    private User withSelector(String rule) throws RuleException {
        if (!rule.endsWith(")")) {
            throw new RuleException(RuleException.SYNTAX);
        }
        Selector added = Selector.nothing(names);
        for (String each : rule.substring(1, rule.length() - 1).split(" ", -1)) {
            added = each.isEmpty() ? added : added.with(each);
        }
        List<Selector> more = new ArrayList<>(selectors);
        more.add(added);
        return withPermissions(root, more);
    }

    private User enabled(boolean value) {
        return new User(name, value, anyPassword, skipsSanitizing, passwords, root, selectors, names);
    }

    private User withPasswords(boolean any, List<String> some) {
        return new User(name, enabled, any, skipsSanitizing, List.copyOf(some), root, selectors, names);
    }

    private User withPermissions(Selector first, List<Selector> others) {
        return new User(name, enabled, anyPassword, skipsSanitizing, passwords, first, List.copyOf(others), names);
    }

    private User withPassword(String kept) {
        List<String> more = new ArrayList<>(passwords);
        if (!more.contains(kept)) {
            more.add(kept);
        }
        return withPasswords(false, more);
    }

    private User withoutPassword(String kept) throws RuleException {
        List<String> fewer = new ArrayList<>(passwords);
        if (!fewer.remove(kept)) {
            throw new RuleException("The password you are trying to remove from the user does not exist");
        }
        return withPasswords(anyPassword, fewer);
    }

    /**
     * Returns why a request is not allowed, null when it is.
     *
     * @param begin the argument of the request at which it begins
     * @param places finds its keys; of the calling thread
     */
    public @Nullable Denial check(Command command, Request request, int begin, KeyPositions places) {
        Denial denial = root.check(command, request, begin, places);
        for (int i = 0; denial != null && i < selectors.size(); i++) {
            Denial other = selectors.get(i).check(command, request, begin, places);
            denial = other == null ? null : moreTelling(denial, other);
        }
        return denial;
    }

    /** Returns why a command is not allowed, null when it is, whatever it is about. */
    public @Nullable Denial check(Command command) {
        return check(command, command, (permissions, any) -> null);
    }

    /** Returns why a request of the binary protocol for chunks is not allowed, null when it is. */
    public <T> @Nullable Denial check(Command command, T request, ChunkNeeds<T> needs) {
        Denial denial = root.check(command, request, needs);
        for (int i = 0; denial != null && i < selectors.size(); i++) {
            Denial other = selectors.get(i).check(command, request, needs);
            denial = other == null ? null : moreTelling(denial, other);
        }
        return denial;
    }

    /**
     * Returns whether a command may read a key.
     *
     * @param buffer has the key, in so many bytes from the start
     */
    public boolean allowsToRead(Command command, ByteBuf buffer, int start, int length) {
        return root.allowsToRead(command, buffer, start, length)
                || selectors.stream().anyMatch(each -> each.allowsToRead(command, buffer, start, length));
    }

    /** A key that is not allowed says more than a command: another selector allows the command. The last key counts. */
    private static Denial moreTelling(Denial one, Denial other) {
        if (one.reason() != other.reason()) {
            return one.reason() == Denial.Reason.KEY ? one : other;
        }
        return other.argument() > one.argument() ? other : one;
    }

    /** Returns Redis's words for how the user is set. */
    public List<String> flags() {
        List<String> words = new ArrayList<>();
        words.add(enabled ? "on" : "off");
        if (anyPassword) {
            words.add("nopass");
        }
        if (skipsSanitizing) {
            words.add("skip-sanitize-payload");
        }
        return words;
    }

    /** Returns the rules that make the user from one that was just {@linkplain #create created}. */
    public String text() {
        List<String> words = new ArrayList<>(flags());
        passwords.forEach(each -> words.add(Passwords.isDerived(each) ? each : "#" + each));
        words.add(root.text());
        selectors.forEach(each -> words.add("(" + each.text() + ")"));
        return String.join(" ", words);
    }
}
