package dev.granary.operator.user;

import dev.granary.operator.api.GranaryUserSpec;
import dev.granary.resp.acl.Passwords;
import dev.granary.resp.acl.Permissions;
import dev.granary.resp.acl.RuleException;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import dev.granary.resp.acl.UsersFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes the line of a user in the file that storage peers read. */
public final class UserLines {
    private static final RuleNames NAMES = RuleNames.ofGranary();

    private UserLines() {}

    /**
     * Returns the line of a user who can authenticate, without its end. It has a character for each byte.
     *
     * @param kept what is kept of its passwords, see {@link Passwords}
     * @throws RuleException when the rules of the spec cannot be applied
     */
    public static String enabled(String name, GranaryUserSpec spec, List<String> kept) throws RuleException {
        List<String> proof = new ArrayList<>(List.of("on"));
        proof.addAll(kept);
        return line(Permissions.apply(User.create(name, NAMES).with(proof), bytes(spec.rules())));
    }

    /** Returns the line of a user as whom nobody can authenticate. */
    public static String disabled(String name) {
        return line(User.create(name, NAMES));
    }

    /**
     * Looks whether a line can be made.
     *
     * @throws RuleException when the rules of the spec cannot be applied
     */
    public static void check(GranaryUserSpec spec) throws RuleException {
        Permissions.apply(User.create(User.DEFAULT, NAMES), bytes(spec.rules()));
    }

    /** Returns what is kept of the passwords of a user in its line. */
    public static List<String> kept(String line) {
        return Arrays.stream(line.split(" ")).filter(Passwords::isDerived).toList();
    }

    private static String line(User user) {
        return UsersFile.write(List.of(user)).strip();
    }

    /** Keys of clients are bytes, usually UTF-8; patterns have a character for each byte. */
    private static String bytes(String rules) {
        return new String(rules.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
