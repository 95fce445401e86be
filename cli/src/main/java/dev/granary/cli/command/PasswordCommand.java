package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.resp.acl.Passwords;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Derives what a file of users keeps of a password. */
@Command(
        name = "password",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Derive what a file of users of the door for Redis clients keeps of a password (PBKDF2), and print it.",
            "The password is asked for at the terminal, twice, or is a line of standard input. It is never an argument,"
                    + " which others on this machine could see. No cluster is needed.",
        },
        footer = {"", "  echo \"user app on $(granary password) ~app:* +@all -@dangerous\" >> users.acl"})
public final class PasswordCommand implements Callable<Integer> {

    @Override
    public Integer call() {
        String password = Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .map(PasswordCommand::ask)
                .orElseGet(PasswordCommand::readLine);
        if (password.isEmpty()) {
            throw new UserException("the password is empty: nobody could authenticate with it");
        }
        // Redis clients send bytes; what is kept has a character for each.
        String bytes = new String(password.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        System.out.println(Passwords.derive(bytes, new SecureRandom()));
        return 0;
    }

    private static String ask(Console console) {
        char[] first = console.readPassword("password: ");
        char[] second = console.readPassword("again: ");
        if (first == null || !Arrays.equals(first, second)) {
            throw new UserException("the two passwords are not the same");
        }
        return new String(first);
    }

    private static String readLine() {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            return line == null ? "" : line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
