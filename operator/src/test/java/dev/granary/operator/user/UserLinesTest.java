package dev.granary.operator.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.api.GranaryUserSpec;
import dev.granary.operator.api.Reference;
import dev.granary.resp.acl.Passwords;
import dev.granary.resp.acl.RuleException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Lines of users ({@link UserLines}) and what is kept of their passwords ({@link DerivedKeys}). */
class UserLinesTest {

    private static GranaryUserSpec spec(String rules) {
        return new GranaryUserSpec(new Reference("social"), null, null, null, rules);
    }

    @Test
    void enabled_passwordsAndRules_areInTheLine() throws RuleException {
        List<String> kept = new ArrayList<>();
        DerivedKeys keys = new DerivedKeys(new SplittableRandom(1));
        kept.add(keys.of("1", "open", List.of()));
        kept.add(keys.of("2", "sesame", List.of()));
        String line = UserLines.enabled("shop", spec("~shop:* +@read"), kept);
        assertThat(line)
                .isEqualTo("user shop on " + kept.getFirst() + " " + kept.getLast()
                        + " ~shop:* resetchannels -@all +@read");
        assertThat(UserLines.kept(line)).isEqualTo(kept);
    }

    @Test
    void enabled_patternWithOtherLetters_isThatOfTheirBytes() throws RuleException {
        String line = UserLines.enabled("shop", spec("~größe:* +get"), List.of());
        assertThat(new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                .contains("~größe:*");
    }

    @Test
    void enabled_rulesAboutPasswords_areRefused() {
        assertThatThrownBy(() -> UserLines.enabled("shop", spec("~* +@all nopass"), List.of()))
                .isInstanceOf(RuleException.class);
        assertThatThrownBy(() -> UserLines.check(spec("~* +@all >open"))).isInstanceOf(RuleException.class);
    }

    @Test
    void disabled_isOffAndMayDoNothing() {
        assertThat(UserLines.disabled("shop")).isEqualTo("user shop off resetchannels -@all");
    }

    @Test
    void keys_samePassword_isDerivedOnce() {
        DerivedKeys keys = new DerivedKeys(new SplittableRandom(1));
        String first = keys.of("user/1", "open", List.of());
        assertThat(keys.of("user/1", "open", List.of())).isEqualTo(first);
        assertThat(Passwords.isOf(first, "open")).isTrue();
        // Another process, or a Secret that was written again with the same password.
        DerivedKeys other = new DerivedKeys(new SplittableRandom(2));
        assertThat(other.of("user/2", "open", List.of(first))).isEqualTo(first);
        assertThat(other.of("user/3", "sesame", List.of(first))).isNotEqualTo(first);
    }
}
