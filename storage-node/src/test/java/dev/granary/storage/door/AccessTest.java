package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.acl.Denial;
import dev.granary.testkit.DerivedKeys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Users of a real door, over real sockets: who may come in ({@code LoginCommands}), who may do what, and what the
 * commands about that answer ({@code AclCommands}, {@code AclUserCommands}).
 */
class AccessTest {

    private static final String NO_AUTH = "-NOAUTH Authentication required.";
    private static final String WRONG = "-WRONGPASS invalid username-password pair or user is disabled.";
    private static final String NO_KEY =
            "-NOPERM this user has no permissions to access one of the keys used as arguments";

    @TempDir
    private Path folder;

    private static String noCommand(String name) {
        return "-NOPERM this user has no permissions to run the '" + name + "' command";
    }

    private Path users(String... lines) throws Exception {
        Path written = Files.writeString(folder.resolve("new"), String.join("\n", lines));
        return Files.move(written, folder.resolve("users.acl"), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void requests_nobodyHasDefinedUsers_areAllCarriedOut() throws Exception {
        try (OpenDoor door = new OpenDoor();
                RespClient client = door.client()) {
            assertThat(client.words("ACL WHOAMI")).isEqualTo("'default'");
            assertThat(client.words("SET a 1")).isEqualTo("+OK");
            assertThat(client.words("ACL LIST")).isEqualTo("['user default on nopass ~* &* +@all']");
            assertThat(client.words("AUTH x")).startsWith("-ERR AUTH <password> called without any password");
            assertThat(client.words("AUTH default x")).isEqualTo("+OK");
            assertThat(client.words("AUTH nobody x")).isEqualTo(WRONG);
        }
    }

    @Test
    void connection_defaultUserHasAPassword_mayOnlyAuthenticate() throws Exception {
        try (OpenDoor door = new OpenDoor(users("user default on >secret ~* &* +@all"));
                RespClient client = door.client()) {
            assertThat(client.words("SET a 1")).isEqualTo(NO_AUTH);
            assertThat(client.words("PING")).isEqualTo(NO_AUTH);
            assertThat(client.words("HELLO 3")).startsWith("-NOAUTH HELLO must be called with the client already");
            assertThat(client.words("AUTH wrong")).isEqualTo(WRONG);
            assertThat(client.words("HELLO 2 AUTH default wrong")).isEqualTo(WRONG);
            assertThat(client.words("GET a")).isEqualTo(NO_AUTH);
            assertThat(client.words("AUTH secret")).isEqualTo("+OK");
            assertThat(client.words("SET a 1")).isEqualTo("+OK");
            assertThat(client.words("RESET")).isEqualTo("+RESET");
            assertThat(client.words("GET a")).isEqualTo(NO_AUTH);
            assertThat(client.words("HELLO 3 AUTH default secret SETNAME me")).contains("'proto': :3");
            assertThat(client.words("GET a")).isEqualTo("'1'");
            assertThat(client.words("CLIENT GETNAME")).isEqualTo("'me'");
        }
    }

    /** A client that sends all at once, as pipelines do, gets its replies in their order. */
    @Test
    void pipeline_ofAllowedAndRefusedRequests_isAnsweredInOrder() throws Exception {
        try (OpenDoor door = new OpenDoor(users("user app on >pw ~app:* %R~shared:* +@all -@dangerous"));
                RespClient client = door.client()) {
            List<String> expected = new ArrayList<>();
            StringBuilder all = new StringBuilder();
            client.words("AUTH app pw");
            String[][] requests = {
                {"SET app:{1}a 1", "+OK"},
                {"GET app:{1}a", "'1'"},
                {"SET other 1", NO_KEY},
                {"GET app:{1}a", "'1'"},
                {"SET shared:1 1", NO_KEY},
                {"GET shared:1", "nil"},
                {"MGET app:{1}a other", NO_KEY},
                {"FLUSHALL", noCommand("flushall")},
                {"CHUNK.GET 0x8000000000000001", NO_KEY},
                {"CLIENT LIST", noCommand("client|list")},
                {"PING", "+PONG"}
            };
            for (int i = 0; i < 200; i++) {
                String[] request = requests[i % requests.length];
                all.append(request[0]).append("\r\n");
                expected.add(request[1]);
            }
            client.send(all.toString().getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
            assertThat(client.read(200)).containsExactlyElementsOf(expected);
            assertThat(door.door().state().access().denials(Denial.Reason.KEY)).isGreaterThan(50);
        }
    }

    @Test
    void user_changedByAnotherConnection_isChangedForThoseThatAreOpen() throws Exception {
        try (OpenDoor door = new OpenDoor();
                RespClient admin = door.client();
                RespClient client = door.client()) {
            assertThat(admin.words("ACL SETUSER app on >pw ~a* +get +set")).isEqualTo("+OK");
            assertThat(client.words("AUTH app pw")).isEqualTo("+OK");
            assertThat(client.words("SET a 1")).isEqualTo("+OK");
            assertThat(admin.words("ACL SETUSER app -set")).isEqualTo("+OK");
            assertThat(client.words("SET a 1")).isEqualTo(noCommand("set"));
            assertThat(admin.words("ACL SETUSER app -set +nonsense resetkeys"))
                    .isEqualTo(
                            "-ERR Error in ACL SETUSER modifier '+nonsense': Unknown command or category name in ACL");
            assertThat(client.words("GET a"))
                    .as("after a change that was refused")
                    .isEqualTo("'1'");
            assertThat(admin.words("CLIENT LIST")).contains(" user=app ").contains(" user=default ");
            assertThat(admin.words("CLIENT KILL USER nobody")).isEqualTo("-ERR No such user 'nobody'");
            assertThat(admin.words("ACL DELUSER app nobody")).isEqualTo(":1");
            assertThat(client.isClosed()).isTrue();
            assertThat(admin.words("ACL DELUSER default")).isEqualTo("-ERR The 'default' user cannot be removed");
        }
    }

    @Test
    void transaction_userMayLessBeforeItsEnd_isNotCarriedOut() throws Exception {
        try (OpenDoor door = new OpenDoor();
                RespClient admin = door.client();
                RespClient client = door.client()) {
            admin.words("ACL SETUSER app on nopass ~* +@all -@dangerous");
            client.words("AUTH app x");
            assertThat(client.words("MULTI")).isEqualTo("+OK");
            assertThat(client.words("SET a 1")).isEqualTo("+QUEUED");
            admin.words("ACL SETUSER app -set");
            assertThat(client.words("EXEC")).startsWith("-NOPERM ACLs rules changed");
            assertThat(client.words("GET a")).isEqualTo("nil");
            assertThat(client.words("MULTI")).isEqualTo("+OK");
            assertThat(client.words("SET a 1")).isEqualTo(noCommand("set"));
            assertThat(client.words("EXEC")).startsWith("-EXECABORT");
            assertThat(admin.words("ACL LOG 1"))
                    .contains("'reason' 'command' 'context' 'multi' 'object' 'set' 'username' 'app'");
        }
    }

    @Test
    void log_whatWasRefused_isCountedAndKept() throws Exception {
        try (OpenDoor door = new OpenDoor();
                RespClient admin = door.client();
                RespClient client = door.client()) {
            admin.words("ACL SETUSER app on >pw ~a +@all");
            client.words("AUTH app wrong");
            client.words("AUTH app pw");
            client.words("GET b");
            client.words("GET b");
            assertThat(admin.words("ACL LOG"))
                    .startsWith("[['count' :2 'reason' 'key' 'context' 'toplevel' 'object' 'b' 'username' 'app'")
                    .contains("'count' :1 'reason' 'auth' 'context' 'toplevel' 'object' 'AUTH' 'username' 'app'")
                    .contains("addr=127.0.0.1:" + client.localPort())
                    .doesNotContain("wrong");
            assertThat(admin.words("INFO stats"))
                    .contains("acl_access_denied_auth:1\r\n")
                    .contains("acl_access_denied_key:2\r\n");
            assertThat(admin.words("ACL LOG RESET")).isEqualTo("+OK");
            assertThat(admin.words("ACL LOG")).isEqualTo("[]");
        }
    }

    /** The client still asks while its password is being looked at, and many others do. */
    @Test
    void auth_passwordIsKeptAsADerivedKey_isAnsweredInOrder() throws Exception {
        String kept = DerivedKeys.of("open sesame");
        try (OpenDoor door = new OpenDoor(users("user app on " + kept + " ~* +@all"))) {
            for (int i = 0; i < 3; i++) {
                RespClient client = door.client();
                client.send(RespClient.request("AUTH", "app", "open sesam"));
                client.send(RespClient.request("AUTH", "app", "open sesame"));
                client.send(RespClient.request("ACL", "WHOAMI"));
                assertThat(client.read(3)).containsExactly(WRONG, "+OK", "'app'");
            }
        }
    }

    @Test
    void file_changed_isReadAgainAndItsErrorsChangeNothing() throws Exception {
        Path file = users("user default off", "user app on >pw ~* +@all", "user old on >pw ~* +@all");
        try (OpenDoor door = new OpenDoor(file);
                RespClient app = door.client();
                RespClient old = door.client()) {
            app.words("AUTH app pw");
            old.words("AUTH old pw");
            users("user default off", "user app on +nonsense");
            Thread.sleep(1500);
            assertThat(app.words("SET a 1")).isEqualTo("+OK");
            assertThat(app.words("ACL LOAD")).startsWith("-ERR " + file + ":2: Error in ACL SETUSER modifier");
            assertThat(app.words("ACL SAVE")).startsWith("-ERR Granary never writes the file of users");
            users("user default off", "user app on >pw ~a +get");
            for (int i = 0; i < 100 && !app.words("SET a 1").equals(noCommand("set")); i++) {
                Thread.sleep(100);
            }
            assertThat(app.words("GET a")).as("its connection stays").isEqualTo("'1'");
            assertThat(old.isClosed())
                    .as("the connection of a user that is gone")
                    .isTrue();
        }
    }

    @Test
    void start_fileHasErrors_isRefusedAndSaysWhere() throws Exception {
        Path file = users("user default on", "nonsense");
        assertThatThrownBy(() -> new OpenDoor(file))
                .hasMessageContaining("the file of users '" + file + "' cannot be used")
                .hasMessageContaining(":2 should start with user keyword")
                .hasMessageContaining("users.file");
    }

    @Test
    void commands_aboutRules_answerAsRedisDoes() throws Exception {
        try (OpenDoor door = new OpenDoor();
                RespClient client = door.client()) {
            assertThat(client.words("ACL SETUSER u on #" + "a".repeat(64) + " %R~r* ~b +@read (+set ~w)"))
                    .isEqualTo("+OK");
            assertThat(client.words("ACL GETUSER u"))
                    .isEqualTo("['flags' ['on'] 'passwords' ['" + "a".repeat(64)
                            + "'] 'commands' '-@all +@read' 'keys' '%R~r* ~b' 'channels' '' 'selectors'"
                            + " [['commands' '-@all +set' 'keys' '~w' 'channels' '']]]");
            assertThat(client.words("ACL GETUSER nobody")).isEqualTo("nil");
            assertThat(client.words("ACL DRYRUN u GET r1")).isEqualTo("+OK");
            assertThat(client.words("ACL DRYRUN u SET w v")).isEqualTo("+OK");
            assertThat(client.words("ACL DRYRUN u SET r1 v"))
                    .isEqualTo("'This user has no permissions to access the 'r1' key'");
            assertThat(client.words("ACL DRYRUN u SET r1"))
                    .isEqualTo("-ERR wrong number of arguments for 'set' command");
            assertThat(client.words("ACL CAT")).contains("'keyspace'").contains("'scripting'");
            assertThat(client.words("ACL CAT transaction")).contains("'multi'");
            assertThat(client.words("ACL CAT nothing")).isEqualTo("-ERR Unknown category 'nothing'");
            assertThat(client.words("ACL GENPASS")).hasSize(66);
            assertThat(client.words("ACL GENPASS 5")).hasSize(4);
            assertThat(client.words("ACL GENPASS 5000")).startsWith("-ERR ACL GENPASS argument must be the number");
            assertThat(client.words("ACL USERS")).isEqualTo("['default' 'u']");
            assertThat(client.words("ACL LOAD")).startsWith("-ERR This Redis instance is not configured to use an ACL");
            assertThat(client.ask("ACL", "SETUSER", "a b")).startsWith("-ERR Usernames can't contain spaces");
        }
    }
}
