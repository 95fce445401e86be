package dev.granary.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyText;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CommandReplies, with DocsWriter and InfoWriter, against what a real server told, and in examples. */
class CommandRepliesTest {

    private static final CommandTable REDIS = CommandTable.redis();

    private static final CommandTable SMALL = CommandTable.read("""
            command box
             arity -2
             flags write fast
             keys 1 1 1
             categories write fast
             tip a_tip
             key-spec
              flags RW access
              begin index 1
              find range 0 1 0
             summary Opens a box
             since 1.0.0
             group generic
             history 1.1.0 It got a lid.
             argument key
              type key
              key-spec-index 0
             argument lid
              type oneof
              flags optional
              argument open
               type pure-token
               token OPEN
            """);

    @Test
    void info_ofEachCommand_isWhatRedisTells() throws Exception {
        String reply = Answers.of(REDIS, Protocol.RESP3, "COMMAND");
        assertThat(reply).startsWith("*99\r\n");
        CommandGolden.compare(reply.substring("*99\r\n".length()));
    }

    @Test
    void info_ofSeveral_isNullForWhatIsNone() {
        List<String> all = ReplyText.all(Answers.of(REDIS, Protocol.RESP2, "COMMAND", "INFO", "get", "no-such", "get"));
        String get = "['get' :2 [+readonly +fast] :1 :1 :1 [+@read +@string +@fast] [] [['begin_search':"
                + " ['type' 'index' 'spec' ['index' :1]] 'find_keys': ['type' 'range' 'spec'"
                + " ['lastkey' :0 'keystep' :1 'limit' :0]] 'flags': [+RO +access]]] []]";
        assertThat(all).containsExactly("[" + get + " nothing " + get + "]");
    }

    @Test
    void info_inResp3_hasSetsAndMaps() {
        assertThat(ReplyText.all(Answers.of(REDIS.only(c -> c.name().startsWith("command")), Protocol.RESP3, "command"))
                        .getFirst())
                .startsWith("[['command' :-1 {+loading +stale} :0 :0 :0 {+@connection +@slow}"
                        + " {'nondeterministic_output_order'} {} [['command|count' :2 {+loading +stale}");
    }

    @Test
    void docs_ofACommand_haveAllThatIsKnown() {
        assertThat(ReplyText.all(Answers.of(withDocs(), Protocol.RESP3, "COMMAND", "DOCS", "BOX", "no-such")))
                .containsExactly("%{'box': %{'arguments': [%{'key_spec_index': :0 'name': 'key' 'type': 'key'}"
                        + " %{'arguments': [%{'name': 'open' 'token': 'OPEN' 'type': 'pure-token'}] 'flags': {+optional}"
                        + " 'name': 'lid' 'type': 'oneof'}] 'group': 'generic' 'history': {['1.1.0' 'It got a lid.']}"
                        + " 'since': '1.0.0' 'summary': 'Opens a box'}}");
    }

    private static CommandTable withDocs() {
        return SMALL.with(REDIS.only(command -> command.name().startsWith("command")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "GETKEYS MSET a 1 b 2           ; ['a' 'b']",
                "GETKEYS MSET a                 ; -ERR Invalid number of arguments specified for command",
                "GETKEYS PING x                 ; -ERR The command has no key arguments",
                "GETKEYS no-such x              ; -ERR Invalid command specified",
                "GETKEYSANDFLAGS GET k          ; [['k': [+RO +access]]]",
                "GETKEYSANDFLAGS SET k v        ; [['k': [+OW +update]]]",
                "GETKEYSANDFLAGS SET k v GET    ; [['k': [+RW +access +update]]]",
                "GETKEYSANDFLAGS BITFIELD k GET u8 0 ; [['k': [+RO +access]]]",
                "LIST FILTERBY PATTERN *ONFIG*S* ; ['config|resetstat' 'config|set']",
                "LIST FILTERBY ACLCAT bitmap    ; ['bitcount' 'bitfield' 'bitfield_ro' 'bitop' 'bitpos' 'getbit' 'setbit']",
                "LIST FILTERBY MODULE m         ; []",
                "LIST FILTERBY SIZE m           ; -ERR syntax error",
                "LIST FILTERBY                  ; -ERR syntax error",
                "COUNT                          ; :99",
                "COUNT x                        ; -ERR wrong number of arguments for 'command|count' command",
                "no-such                        ; -ERR unknown subcommand 'no-such'. Try COMMAND HELP."
            })
    void command_subcommands_answer(String line, String expected) {
        String[] request = Stream.concat(
                        Stream.of("COMMAND"), Stream.of(line.trim().split(" ")))
                .toArray(String[]::new);
        assertThat(ReplyText.all(Answers.of(REDIS, Protocol.RESP2, request))).containsExactly(expected);
    }

    @Test
    void command_help_isListed() {
        assertThat(Answers.of(REDIS, Protocol.RESP3, "COMMAND", "HELP"))
                .startsWith("*21\r\n+COMMAND <subcommand>")
                .contains("\r\n+    Return details about all Redis commands.\r\n");
    }

    @Test
    void errors_ofUnknownCommands_showTheirBeginning() {
        assertThat(Answers.of(REDIS, Protocol.RESP2, "no\r\n", "a\0b", "c".repeat(200), "d"))
                .isEqualTo("-ERR unknown command 'no  ', with args beginning with: 'a' '" + "c".repeat(124) + "' \r\n");
        assertThat(Answers.of(REDIS, Protocol.RESP2, "get"))
                .isEqualTo("-ERR wrong number of arguments for 'get' command\r\n");
    }
}
