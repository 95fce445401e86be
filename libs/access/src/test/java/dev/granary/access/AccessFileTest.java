package dev.granary.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.acl.User;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When {@link Access} takes another content of its file. */
class AccessFileTest {

    private static final String USERS = "user default off\nuser app on >pw ~* +@all\n";

    private final List<String> gone = new ArrayList<>();

    @TempDir
    private Path folder;

    private Path file = Path.of("");
    private Access access = new Access(null, new SecureRandom());

    @BeforeEach
    void load() throws Exception {
        access.close();
        file = Files.writeString(folder.resolve("users.acl"), USERS);
        access = new Access(file, new SecureRandom());
        access.load(accounts -> {});
        access.tellDoor(accounts -> accounts.forEach(account -> gone.add(account.name())));
    }

    @AfterEach
    void close() {
        access.close();
    }

    private void look() {
        access.lookHere();
    }

    private List<String> names() {
        return access.accounts().users().stream().map(User::name).toList();
    }

    /** A file without users lets everybody in; while one is being written it has none for a moment. */
    @Test
    void look_fileIsBeingWritten_usersStay() throws Exception {
        Files.writeString(file, "");
        look();
        assertThat(access.accounts().isOpen()).isFalse();
        Files.writeString(file, USERS);
        look();
        look();
        assertThat(access.accounts().isOpen()).isFalse();
        assertThat(names()).containsExactly("app", "default");
        assertThat(gone).isEmpty();
    }

    @Test
    void look_otherContentTwice_isTakenAndTellsWhoIsGone() throws Exception {
        Files.writeString(file, "user default off\nuser other on >pw\n");
        look();
        assertThat(names()).containsExactly("app", "default");
        look();
        assertThat(names()).containsExactly("default", "other");
        assertThat(gone).containsExactlyInAnyOrder("app", "default");
    }

    @Test
    void look_fileIsGoneOrHasErrors_usersStay() throws Exception {
        Files.delete(file);
        look();
        look();
        Files.writeString(file, "nonsense");
        look();
        look();
        assertThat(names()).containsExactly("app", "default");
        Files.writeString(file, "user app on >pw ~* +@all\n");
        look();
        look();
        assertThat(access.accounts().isOpen())
                .as("a default user that nobody has defined")
                .isTrue();
    }
}
