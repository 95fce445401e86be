package dev.granary.resp.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.Request;
import dev.granary.resp.Wire;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import dev.granary.resp.command.GranaryTable;
import dev.granary.resp.command.KeyPositions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What rules make of a user ({@link CommandRules}, {@link Selector}), and what the user may do then. */
class UserTest {

    private static final CommandTable TABLE = GranaryTable.read();
    private static final RuleNames NAMES = RuleNames.ofDoor(TABLE);

    private static User user(String rules) {
        try {
            return User.create("some", NAMES).with(Arrays.asList(rules.split(" ")));
        } catch (RuleException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns OK, or what Redis's DRYRUN would say. */
    private static String may(User user, String line) {
        Request request = Wire.request(line.split(" "));
        try {
            Command command = Objects.requireNonNull(TABLE.find(request), line);
            Denial denial = user.check(command, request, 0, new KeyPositions());
            return denial == null ? "OK" : denial.answer();
        } finally {
            request.release();
        }
    }

    private static String noCommand(String name) {
        return "This user has no permissions to run the '" + name + "' command";
    }

    private static String noKey(String name) {
        return "This user has no permissions to access the '" + name + "' key";
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
            +get                                  ; -@all +get
            +@all -client +client|id              ; +@all -client +client|id
            +memory|doctor +memory                ; -@all +memory
            +memory|doctor +@all +client|id       ; +@all
            +@all -memory|doctor -memory          ; +@all -memory
            +@all -memory -@all                   ; -@all
            +get +GET -set                        ; -@all +get
            +@string -incr +acl                   ; -@all +@string -incr +acl
            +@all -@list                          ; +@all -@list
            +@read +@write +@read                 ; -@all +@write +@read
            +select|0 +select|1                   ; -@all +select|0 +select|1
            +select|0 +select                     ; -@all +select
            +publish -publish                     ; -@all -publish
            allcommands nocommands                ; -@all
            """)
    void with_rulesOfCommands_areToldBackWithoutThoseThatDoNotCount(String rules, String told) {
        assertThat(user(rules).root().commandText()).isEqualTo(told);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
            +foo            ; Error in ACL SETUSER modifier '+foo': Unknown command or category name in ACL
            +@foo           ; Error in ACL SETUSER modifier '+@foo': Unknown command or category name in ACL
            -config|asdf    ; Error in ACL SETUSER modifier '-config|asdf': Unknown command or category name in ACL
            +config|asdf    ; Error in ACL SETUSER modifier '+config|asdf': Unknown command or category name in ACL
            +get|a|b        ; Error in ACL SETUSER modifier '+get|a|b': Unknown command or category name in ACL
            +config|get|a   ; Error in ACL SETUSER modifier '+config|get|a': Allowing first-arg of a subcommand is not supported
            +select|        ; Error in ACL SETUSER modifier '+select|': Syntax error
            -select|0       ; Error in ACL SETUSER modifier '-select|0': Unknown command or category name in ACL
            %X~a            ; Error in ACL SETUSER modifier '%X~a': Syntax error
            %~a             ; Error in ACL SETUSER modifier '%~a': Syntax error
            foo             ; Error in ACL SETUSER modifier 'foo': Syntax error
            (+get ~a        ; Unmatched parenthesis in acl selector starting at '(+get'.
            <secret         ; Error in ACL SETUSER modifier '<secret': The password you are trying to remove from the user does not exist
            """)
    void with_ruleThatMakesNoSense_isRefusedAsByRedis(String rules, String error) {
        assertThatThrownBy(() -> User.create("some", NAMES).with(Arrays.asList(rules.split(" "))))
                .isInstanceOf(RuleException.class)
                .hasMessage(error);
    }

    @Test
    void check_commandsAndSubcommands_areAllowedOneByOne() {
        User user = user("allkeys +@all -client +client|id -@dangerous +select|0");
        assertThat(may(user, "client id")).isEqualTo("OK");
        assertThat(may(user, "client list")).isEqualTo(noCommand("client|list"));
        assertThat(may(user, "flushall")).isEqualTo(noCommand("flushall"));
        assertThat(may(user, "set a b")).isEqualTo("OK");
        assertThat(may(user("+select|0"), "select 0")).isEqualTo("OK");
        assertThat(may(user("+select|0"), "select 1")).isEqualTo(noCommand("select"));
        assertThat(may(user("-@all"), "auth a b")).as("whoever may do nothing").isEqualTo("OK");
        assertThat(may(user("-@all"), "hello")).isEqualTo("OK");
        assertThat(may(user("-@all"), "ping")).isEqualTo(noCommand("ping"));
    }

    @Test
    void check_keys_areThoseOfThePatterns() {
        User user = user("+@all ~app:* %R~shared:* %W~log:*");
        assertThat(may(user, "set app:1 v")).isEqualTo("OK");
        assertThat(may(user, "mget app:1 shared:2")).isEqualTo("OK");
        assertThat(may(user, "mget app:1 other shared:2")).isEqualTo(noKey("other"));
        assertThat(may(user, "set shared:1 v")).isEqualTo(noKey("shared:1"));
        assertThat(may(user, "get log:1")).isEqualTo(noKey("log:1"));
        assertThat(may(user, "set log:1 v")).isEqualTo("OK");
        assertThat(may(user, "set log:1 v get")).as("a SET that reads").isEqualTo(noKey("log:1"));
        assertThat(may(user, "copy shared:1 log:1")).isEqualTo("OK");
        assertThat(may(user, "copy log:1 shared:1")).isEqualTo(noKey("log:1"));
        assertThat(may(user, "exists log:1")).as("that reads no value").isEqualTo("OK");
        assertThat(may(user, "bitfield shared:1 get u8 0")).isEqualTo("OK");
        assertThat(may(user, "bitfield shared:1 set u8 0 1")).isEqualTo(noKey("shared:1"));
        assertThat(may(user, "dbsize")).as("a command without keys").isEqualTo("OK");
    }

    @Test
    void check_samePatternForReadingAndForWriting_isOnePattern() {
        User user = user("+@all %R~a* %W~a*");
        assertThat(user.root().keyText()).isEqualTo("~a*");
        assertThat(may(user, "getset a1 b")).isEqualTo("OK");
    }

    @Test
    void check_selectors_allowARequestEachByItself() {
        User user = user("(+@write ~write:*) (+@read %R~read:*)");
        assertThat(may(user, "set write:1 v")).isEqualTo("OK");
        assertThat(may(user, "get read:1")).isEqualTo("OK");
        assertThat(may(user, "set read:1 v")).isEqualTo(noKey("read:1"));
        assertThat(may(user, "copy read:1 write:1"))
                .as("no selector allows both")
                .isEqualTo(noKey("read:1"));
        assertThat(may(user, "ping")).isEqualTo(noCommand("ping"));
        assertThat(user.isUnlimited()).isFalse();
        assertThat(user("(+@write ~write:*) clearselectors").selectors()).isEmpty();
    }

    /** A chunk has no key, so no pattern can mean it. */
    @Test
    void check_commandOnSomethingThatIsNoKey_isForThoseWhoMayUseAllKeys() {
        assertThat(may(user("+@all ~app:*"), "chunk.get 0x1")).isEqualTo(noKey("*"));
        assertThat(may(user("+@all %R~*"), "chunk.get 0x1")).isEqualTo("OK");
        assertThat(may(user("+@all %R~*"), "chunk.put 0x1 v")).isEqualTo(noKey("*"));
        assertThat(may(user("+@all ~*"), "chunk.put 0x1 v")).isEqualTo("OK");
        assertThat(may(user("+@all -chunk.put ~*"), "chunk.put 0x1 v")).isEqualTo(noCommand("chunk.put"));
    }

    @Test
    void isUnlimited_everythingIsAllowed_isTrueAsLongAsItIs() {
        assertThat(User.unlimited(NAMES).isUnlimited()).isTrue();
        assertThat(user("+@all ~*").isUnlimited()).isTrue();
        assertThat(user("+@all ~* -flushall").isUnlimited()).isFalse();
        assertThat(user("+@all ~a*").isUnlimited()).isFalse();
    }

    @Test
    void with_passwords_keepsHashesAndForgetsThem() throws RuleException {
        String hash = Passwords.hash("secret");
        User user = user("on >secret >secret #" + Passwords.hash("other"));
        assertThat(user.passwords()).containsExactly(hash, Passwords.hash("other"));
        assertThat(user.text()).doesNotContain("secret").contains("#" + hash);
        assertThat(user.with(List.of("<secret")).passwords()).containsExactly(Passwords.hash("other"));
        assertThat(user.with(List.of("!" + hash, "resetpass")).passwords()).isEmpty();
        assertThat(user.with(List.of("nopass")).anyPassword()).isTrue();
        assertThat(user.with(List.of("nopass", ">new")).anyPassword()).isFalse();
    }

    @Test
    void text_givenAgain_makesTheSameUser() throws RuleException {
        User user = user("on nopass %R~a* ~b &c +@all -@dangerous -client +client|id (+get ~x)");
        User again = User.create("some", NAMES).with(Arrays.asList(user.text().split(" ")));
        assertThat(again.text())
                .isEqualTo(user.text())
                .isEqualTo("on nopass %R~a* ~b resetchannels &c +@all -@dangerous -client +client|id"
                        + " (~x resetchannels -@all +get)");
    }

    @Test
    void with_reset_isAsIfItHadJustBeenCreated() throws RuleException {
        User user = user("on >secret ~* +@all (+get ~x)").with(List.of("reset"));
        assertThat(user.text()).isEqualTo(User.create("some", NAMES).text()).isEqualTo("off resetchannels -@all");
    }
}
