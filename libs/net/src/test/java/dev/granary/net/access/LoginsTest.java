package dev.granary.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.HandshakeMessages.Login;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginsTest {

    @TempDir
    private Path folder;

    @Test
    void of_nobodyOrPassword_isThat() {
        assertThat(Logins.of(null, "pw", null).get()).isNull();
        assertThat(Logins.of("app", "pw", Path.of("nowhere")).get()).isEqualTo(new Login("app", "pw"));
        assertThat(Logins.of("app", null, null).get()).isEqualTo(new Login("app", ""));
    }

    @Test
    void of_fileThatChanges_isReadEachTime() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "pass wörd\n");
        Supplier<@Nullable Login> login = Logins.of("app", null, file);
        assertThat(login.get()).isEqualTo(new Login("app", "pass wörd"));
        Files.writeString(file, "other\r\n");
        assertThat(login.get()).isEqualTo(new Login("app", "other"));
        Files.writeString(file, "x".repeat(5000));
        assertThatThrownBy(login::get).isInstanceOf(UncheckedIOException.class).hasMessageContaining("at most 4096");
        Files.delete(file);
        assertThatThrownBy(login::get).isInstanceOf(UncheckedIOException.class).hasMessageContaining(file.toString());
    }
}
