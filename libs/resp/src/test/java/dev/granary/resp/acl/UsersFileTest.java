package dev.granary.resp.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.acl.UsersFile.UsersFileException;
import dev.granary.resp.command.CommandTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsersFileTest {

    private static final RuleNames NAMES = new RuleNames(CommandTable.redis(), command -> false);

    private static List<User> read(String text) throws UsersFileException {
        return UsersFile.read("users.acl", text, NAMES);
    }

    @Test
    void read_usersOfRedis_areThere() throws UsersFileException {
        List<User> users = read("""
                # People
                user alice on allcommands allkeys &* >alice

                user bob on -@all +@set +acl ~set* &* >bob (%W~w* +set) (+get %R~r*)
                """);
        assertThat(users).extracting(User::name).containsExactly("alice", "bob", "default");
        assertThat(users.get(1).selectors()).hasSize(2);
        assertThat(users.get(2).isUnlimited()).isTrue();
        assertThat(read(UsersFile.write(users)))
                .extracting(User::text)
                .containsExactlyElementsOf(users.stream().map(User::text).toList());
    }

    @Test
    void read_errors_areAllNamedAndPasswordsAreNot() {
        assertThatThrownBy(() -> read("""
                user alice on +nothing
                alice
                user bob on secret >hidden
                user carol on #notahash
                user dave on
                user dave off
                """))
                .isInstanceOf(UsersFileException.class)
                .hasMessageContaining("users.acl:1: Error in ACL SETUSER modifier '+nothing': Unknown command")
                .hasMessageContaining("users.acl:2 should start with user keyword")
                .hasMessageContaining("users.acl:3: Syntax error")
                .hasMessageContaining("users.acl:4: The password hash must be exactly 64 characters")
                .hasMessageContaining("Duplicate user 'dave' found on line 6")
                .hasMessageNotContaining("secret")
                .hasMessageNotContaining("hidden")
                .hasMessageNotContaining("notahash");
    }
}
