package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.RuleException;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import dev.granary.resp.command.KeyPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** Random rules of access control, to a redis-server and to this module: errors, and what may be carried out then. */
final class RulesComparison {

    private static final CommandTable TABLE = CommandTable.redis();
    private static final RuleNames NAMES = new RuleNames(TABLE, command -> false);

    private static final List<String> RULES = List.of(
            "+@all",
            "-@all",
            "allkeys",
            "resetkeys",
            "~a*",
            "~b",
            "%R~r*",
            "%W~w*",
            "%rw~a?",
            "%R~a*",
            "%X~x",
            "+@read",
            "-@write",
            "+@string",
            "-@dangerous",
            "+@hash",
            "-@slow",
            "+@slow",
            "-@fast",
            "+@nonsense",
            "+get",
            "-get",
            "+SET",
            "-set",
            "+client",
            "-client",
            "+client|id",
            "-client|list",
            "+client|none",
            "+select|0",
            "+select",
            "-select",
            "+select|",
            "+config|get|x",
            "+publish",
            "-eval",
            "+nonsense",
            "on",
            "off",
            "nopass",
            ">p",
            "<p",
            "#notahash",
            "reset",
            "(+get ~a*)",
            "(+@write %W~w* -del)",
            "(+nonsense)",
            "clearselectors",
            "nonsense");

    private static final List<List<String>> REQUESTS = List.of(
            List.of("get", "a1"),
            List.of("get", "r1"),
            List.of("get", "w1"),
            List.of("set", "a1", "v"),
            List.of("set", "r1", "v"),
            List.of("set", "w1", "v"),
            List.of("set", "w1", "v", "get"),
            List.of("mget", "a1", "b", "r1"),
            List.of("mget", "a1", "x", "w1"),
            List.of("copy", "r1", "w1"),
            List.of("del", "w1", "a2"),
            List.of("exists", "w1"),
            List.of("strlen", "r1"),
            List.of("hset", "b", "f", "v"),
            List.of("hgetall", "b"),
            List.of("bitfield", "r1", "get", "u8", "0"),
            List.of("client", "id"),
            List.of("client", "list"),
            List.of("select", "0"),
            List.of("select", "1"),
            List.of("config", "get", "x"),
            List.of("flushall"),
            List.of("ping"),
            List.of("keys", "*"));

    private RulesComparison() {}

    static void run(RealRedis redis, long seed, int rounds) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < rounds; round++) {
            List<String> rules = new ArrayList<>();
            for (int i = random.nextInt(1, 7); i > 0; i--) {
                rules.add(RULES.get(random.nextInt(RULES.size())));
            }
            List<String> requests = new ArrayList<>();
            requests.add(Wire.array("ACL", "DELUSER", "some"));
            List<String> set = new ArrayList<>(List.of("ACL", "SETUSER", "some"));
            set.addAll(rules);
            requests.add(Wire.array(set.toArray(String[]::new)));
            for (List<String> each : REQUESTS) {
                List<String> dry = new ArrayList<>(List.of("ACL", "DRYRUN", "some"));
                dry.addAll(each);
                requests.add(Wire.array(dry.toArray(String[]::new)));
            }
            List<String> replies = ReplyText.all(redis.replies(Protocol.RESP2, requests.toArray(String[]::new)));
            assertThat(replies.subList(1, replies.size()))
                    .as("seed %d, round %d, rules %s", seed, round, rules)
                    .containsExactlyElementsOf(ours(rules));
        }
    }

    private static List<String> ours(List<String> rules) {
        List<String> replies = new ArrayList<>();
        User user;
        try {
            user = User.create("some", NAMES).with(rules);
            replies.add("+OK");
        } catch (RuleException e) {
            replies.add("-ERR " + e.getMessage());
            REQUESTS.forEach(each -> replies.add("-ERR User 'some' not found"));
            return replies;
        }
        KeyPositions places = new KeyPositions();
        for (List<String> each : REQUESTS) {
            Request request = Wire.request(each.toArray(String[]::new));
            Command command = Objects.requireNonNull(TABLE.find(request));
            Denial denial = user.check(command, request, 0, places);
            replies.add(denial == null ? "+OK" : "'" + denial.answer() + "'");
            request.release();
        }
        return replies;
    }
}
