package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.acl.Passwords;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PasswordCommandTest {

    private static Run run(String input) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return Run.of("password");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void password_lineOfStandardInput_isDerivedAndNotShown() {
        Run run = run("pässword\nanother line\n");
        assertThat(run.code()).isZero();
        assertThat(run.output()).startsWith("$pbkdf2-sha256$i=600000$").doesNotContain("ssword");
        String bytes = new String("pässword".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(Passwords.isOf(run.output().strip(), bytes)).isTrue();
    }

    @Test
    void password_empty_isRefused() {
        Run run = run("\n");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("the password is empty");
    }
}
