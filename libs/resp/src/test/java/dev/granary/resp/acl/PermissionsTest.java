package dev.granary.resp.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionsTest {

    private static final RuleNames NAMES = RuleNames.ofGranary();

    private static User apply(String line) throws RuleException {
        return Permissions.apply(User.create("shop", NAMES), line);
    }

    @Test
    void apply_rulesOfAllKinds_areAsInAFile() throws RuleException {
        User user = apply("  ~shop:* %R~prices:*  +@all -@dangerous &news +chunk.get (%W~carts:* +set) ");
        assertThat(user.text())
                .isEqualTo("off ~shop:* %R~prices:* resetchannels &news +@all -@dangerous"
                        + " (%W~carts:* resetchannels -@all +set)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "on",
                "OFF",
                "nopass",
                "resetpass",
                "Reset",
                "~* >hidden +@all",
                "<hidden",
                "#hidden",
                "!hidden",
                "$pbkdf2-sha256$hidden",
                "~* (>hidden",
                "(nopass)"
            })
    void apply_ruleAboutAProof_isRefusedAndNoPasswordRepeated(String line) {
        assertThatThrownBy(() -> apply(line)).isInstanceOf(RuleException.class).hasMessageNotContaining("hidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+gett", "shop:*", "+@nothing", "(~a", "%X~a"})
    void apply_ruleThatIsNone_isNamed(String line) {
        assertThatThrownBy(() -> apply(line)).isInstanceOf(RuleException.class).hasMessageContaining(line);
    }
}
