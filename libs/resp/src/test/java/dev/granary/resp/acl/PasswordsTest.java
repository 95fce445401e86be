package dev.granary.resp.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

class PasswordsTest {

    @Test
    void hash_knownPassword_isItsSha256() {
        assertThat(Passwords.hash("passwd4"))
                .isEqualTo("34344e4d60c2b6d639b7bd22e18f2b0b91bc34bf0ac5f9952744435093cfb4e6");
        assertThat(Passwords.isOf(Passwords.hash("a"), "a")).isTrue();
        assertThat(Passwords.isOf(Passwords.hash("a"), "b")).isFalse();
    }

    @Test
    void derive_password_isThatOfThisPasswordAlone() throws RuleException {
        String kept = Passwords.derive("open sesame", new SecureRandom());
        assertThat(kept)
                .startsWith("$pbkdf2-sha256$i=600000$")
                .isNotEqualTo(Passwords.derive("open sesame", new SecureRandom()));
        assertThat(Passwords.requireDerived(kept)).isEqualTo(kept);
        assertThat(Passwords.isOf(kept, "open sesame")).isTrue();
        assertThat(Passwords.isOf(kept, "open sesam")).isFalse();
        assertThat(Passwords.isOf(kept, "")).isFalse();
    }

    /** Made by hashlib of Python. */
    @Test
    void isOf_keyThatAnotherProgramHasDerived_isKnown() {
        String kept = "$pbkdf2-sha256$i=1000$MDEyMzQ1Njc4OWFiY2RlZg$Kfxd4gVEVJAUWyEM9/KuB1B0aQFq+qVyrFi44QnyZ4k";
        String bytes = new String("pässwörd".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(Passwords.isOf(kept, bytes)).isTrue();
        assertThat(Passwords.isOf(kept, "password")).isFalse();
    }

    @Test
    void requireDerived_malformed_isRefused() {
        for (String bad : new String[] {
            "$",
            "$pbkdf2-sha256$i=80000$TmFDbAAAAAAAAA$",
            "$pbkdf2-sha256$i=0$c2FsdHNhbHRzYWx0$" + "A".repeat(43),
            "$pbkdf2-sha256$i=99999999$c2FsdHNhbHRzYWx0$" + "A".repeat(43),
            "$pbkdf2-sha1$i=1$c2FsdHNhbHRzYWx0$" + "A".repeat(43)
        }) {
            assertThatThrownBy(() -> Passwords.requireDerived(bad)).as(bad).isInstanceOf(RuleException.class);
        }
    }
}
