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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What rules make of a user ({@link CommandRules}, {@link Selector}, {@link ChunkRange}), and what the user may do
 * then.
 */
class UserTest {

    private static final CommandTable TABLE = GranaryTable.read();
    private static final RuleNames NAMES = RuleNames.ofGranary();

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

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
            ^8000 ^8001 ^8000                                       ; ^8000 ^8001
            %r^8000 ^8000                                           ; ^8000
            %W^8000 %R^8000000000000001-80000000000000FF            ; %W^8000 %R^8000000000000001-80000000000000ff
            ^8000000000000000-8000ffffffffffff                      ; ^8000
            ^8000 allchunks                                         ; ^*
            ^8000 resetchunks %R^*                                  ; %R^*
            ~* ^8000 resetkeys                                      ; ^8000
            ~a^b %R~^c                                              ; ~a^b %R~^c
            """)
    void with_rulesOfChunks_areToldBack(String rules, String told) {
        User user = user(rules);
        assertThat(user.root().keyText()).isEqualTo(told);
        assertThat(user(user.text()).text()).isEqualTo(user.text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^",
                "^800",
                "^80000",
                "^800g",
                "%^8000",
                "%X^8000",
                "^8000-",
                "^8000-8001",
                "^0x8000",
                "%RR^8000"
            })
    void with_malformedRuleOfChunks_isRefused(String rule) {
        assertThatThrownBy(() -> User.create("some", NAMES).with(List.of(rule))).isInstanceOf(RuleException.class);
        assertThatThrownBy(() -> User.create("some", NAMES).with(List.of("^8000000000000002-8000000000000001")))
                .hasMessageContaining("the first not above the second");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
            chunk.get 0x8000000000000005                     ; OK
            chunk.get 8001000000000001                       ; ^8001000000000001
            chunk.get 0x8002000000000010                     ; OK
            chunk.get 0x8002000000000011                     ; ^8002000000000011
            chunk.put 0x8000000000000005 v                   ; OK
            chunk.put 0x8000000000000005 v token 7           ; OK
            chunk.put 0x8002000000000010 v                   ; ^8002000000000010
            chunk.mget 0x8000000000000005 0x8000000000000006 ; OK
            chunk.mget 0x8000000000000005 0x8001000000000006 ; ^8001000000000006
            chunk.mput 0x8000000000000005 a 0x8000000000000006 b ; OK
            chunk.mput 0x8000000000000005 a 0x8002000000000006 b ; ^8002000000000006
            chunk.del 0x8000000000000005 0x8000000000000006  ; OK
            chunk.del 0x8000000000000005 token 7             ; OK
            chunk.del 0x8000000000000005 0x8002000000000006  ; ^8002000000000006
            chunk.del nonsense                               ; ^*
            chunk.create v                                   ; ^*
            chunk.create v on 0x8000                         ; OK
            chunk.create v on 8002                           ; ^8002
            chunk.create v near 0x8000000000000001           ; ^*
            chunk.mcreate 2 a b ON 0x8000                    ; OK
            chunk.mcreate 2 a b                              ; ^*
            chunk.lock 0x8000000000000005 1000               ; OK
            chunk.lock 0x8001000000000005 1000               ; ^8001000000000005
            chunk.name get n                                 ; ^*
            chunk.name set n 0x8000000000000005              ; ^*
            """)
    void check_userWithRangesOfChunks_mayUseThose(String line, String lack) {
        User user = user("+@all ~app:* ^8000 %R^8002000000000001-8002000000000010");
        assertThat(may(user, line)).isEqualTo(lack.equals("OK") ? "OK" : noKey(lack));
    }

    @Test
    void check_rangesInSelectors_countByThemselves() {
        User user = user("+chunk.get ^8000 (+chunk.put ^8001)");
        assertThat(may(user, "chunk.get 0x8000000000000001")).isEqualTo("OK");
        assertThat(may(user, "chunk.put 0x8000000000000001 v")).isEqualTo(noKey("^8000000000000001"));
        assertThat(may(user, "chunk.put 0x8001000000000001 v")).isEqualTo("OK");
        assertThat(user.text())
                .isEqualTo("off ^8000 resetchannels -@all +chunk.get (^8001 resetchannels -@all" + " +chunk.put)");
    }

    @Test
    void with_administration_isNamedByRules() {
        Command status = Objects.requireNonNull(NAMES.find("granary.status"));
        Command ring = Objects.requireNonNull(NAMES.find("granary.ring"));
        assertThat(user("+granary.status").check(status)).isNull();
        assertThat(user("+@read").check(status)).isNull();
        assertThat(user("+@read").check(ring)).isNotNull();
        assertThat(user("+@all -@dangerous").check(ring)).isNotNull();
        assertThat(user("+@admin").check(ring)).isNull();
        assertThat(user("+@all").check(ring)).isNull();
        assertThat(TABLE.find("granary.status")).as("what a door has").isNull();
    }

    /** A chunk has no key, so no pattern can mean it. */
    @Test
    void check_commandOnSomethingThatIsNoKey_isForThoseWhoMayUseAllKeys() {
        assertThat(may(user("+@all ~app:*"), "chunk.get 0x1")).isEqualTo(noKey("^1"));
        assertThat(may(user("+@all %R~*"), "chunk.get 0x1")).isEqualTo("OK");
        assertThat(may(user("+@all %R~*"), "chunk.put 0x1 v")).isEqualTo(noKey("^1"));
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
