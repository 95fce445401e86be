package dev.granary.net.access;

import dev.granary.net.message.HandshakeMessages.Login;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a client logs in: as nobody, with a password that it was told, or with that in a file. */
public final class Logins {

    private static final int MOST_BYTES = 4096;

    private Logins() {}

    /**
     * Returns what gives the login for each connection, null for none. A file is read each time, so that a changed
     * password holds for the next connection; where it cannot be, an {@link UncheckedIOException} says why.
     *
     * @param user null for none
     * @param password null for that in the file
     * @param file text in UTF-8, of at most 4096 bytes; a line end behind it does not count. Null for no password
     */
    public static Supplier<@Nullable Login> of(@Nullable String user, @Nullable String password, @Nullable Path file) {
        if (user == null) {
            return () -> null;
        }
        if (password != null || file == null) {
            Login login = new Login(user, password == null ? "" : password);
            return () -> login;
        }
        return () -> new Login(user, read(file));
    }

    private static String read(Path file) {
        try {
            long bytes = Files.size(file);
            if (bytes > MOST_BYTES) {
                throw new IOException("it has " + bytes + " bytes; a password has at most " + MOST_BYTES);
            }
            String text = Files.readString(file, StandardCharsets.UTF_8);
            return text.endsWith("\r\n")
                    ? text.substring(0, text.length() - 2)
                    : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the file with the password, '" + file + "', cannot be read: " + e.getMessage(), e);
        }
    }
}
