package dev.granary.resp.acl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Users as Redis keeps them in a file: a line for each, {@code user NAME RULE...}. Empty lines do not count, and
 * neither do lines that begin with {@code #}, which Redis does not know.
 */
public final class UsersFile {

    private UsersFile() {}

    /** Errors in a file of users: one for each line, with its number. */
    public static final class UsersFileException extends Exception {

        private static final long serialVersionUID = 1L;

        private UsersFileException(List<String> errors) {
            super(String.join(". ", errors));
        }
    }

    /**
     * Reads users. The default user is among them, if need be as it is without a file.
     *
     * @param name of the file, for messages
     * @throws UsersFileException when a line cannot be read; it names all of them, and no password
     */
    public static List<User> read(String name, String text, RuleNames names) throws UsersFileException {
        Map<String, User> users = new LinkedHashMap<>();
        List<String> errors = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            List<String> words = Arrays.asList(line.split("\\s+"));
            String at = name + ":" + (i + 1);
            if (!words.getFirst().equals("user") || words.size() < 2) {
                errors.add(at + " should start with user keyword followed by the username");
            } else if (users.containsKey(words.get(1))) {
                errors.add("Duplicate user '" + words.get(1) + "' found on line " + (i + 1));
            } else {
                try {
                    User user = User.create(words.get(1), names).with(words.subList(2, words.size()));
                    users.put(user.name(), user);
                } catch (RuleException e) {
                    errors.add(at + ": " + withoutPassword(String.valueOf(e.getMessage())));
                }
            }
        }
        if (!errors.isEmpty()) {
            throw new UsersFileException(errors);
        }
        users.computeIfAbsent(User.DEFAULT, missing -> User.unlimited(names));
        return List.copyOf(users.values());
    }

    /** The rule that is refused may be a password with a typing error. */
    private static String withoutPassword(String message) {
        int colon = message.lastIndexOf("': ");
        boolean isName = message.endsWith(RuleException.UNKNOWN_NAME);
        return isName || colon < 0 ? message : message.substring(colon + 3);
    }

    /** Returns a file from which the same users are read. */
    public static String write(Collection<User> users) {
        return users.stream()
                .map(user -> "user " + user.name() + " " + user.text() + "\n")
                .collect(Collectors.joining());
    }
}
