package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.LocalKeys;
import dev.granary.keyed.ValueType;
import dev.granary.resp.Protocol;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@link HashCommands}, {@link HashWriteCommands} and {@link HashRandomFields}. */
class HashCommandsTest {

    private static final String WRONG_TYPE = "-" + CommandException.WRONG_TYPE + "|";

    private final LocalKeys local = new LocalKeys(Protocol.RESP2);

    @Test
    void hset_newAndOldFields_answersHowManyAreNew() {
        assertThat(local.lines("hset h a 1 b 2 a 3")).isEqualTo(":2|");
        assertThat(local.lines("hset h b 4 c 5")).isEqualTo(":1|");
        assertThat(local.lines("hgetall h")).isEqualTo("*6|$1|a|$1|3|$1|b|$1|4|$1|c|$1|5|");
    }

    @Test
    void hset_fieldWithoutValue_isRefused() {
        assertThat(local.lines("hset h a 1 b")).isEqualTo("-ERR wrong number of arguments for 'hset' command|");
        assertThat(local.lines("hmset h a 1 b")).isEqualTo("-ERR wrong number of arguments for 'hmset' command|");
    }

    @Test
    void hset_tooLarge_isRefusedAndNothingChanges() {
        local.answer("hset", "h", "a", "1");

        assertThat(local.answer("hset", "h", "b", "x".repeat(8 << 20)))
                .startsWith("-ERR hash exceeds maximum allowed size (8388544 bytes");
        assertThat(local.lines("hgetall h")).isEqualTo("*2|$1|a|$1|1|");
    }

    @Test
    void changes_ofAHashThatExpires_keepItsTime() {
        local.answer("hset", "h", "a", "1", "b", "2");
        byte[] key = LocalKeys.bytes("h");
        KeyEntry entry = Objects.requireNonNull(local.keys().find(key));
        long time = local.keys().nowMillis() + 500;
        local.keys().put(key, entry.type(), entry.content(), time);

        for (String change :
                new String[] {"hset h c 1", "hsetnx h d 1", "hincrby h a 1", "hincrbyfloat h a 1", "hdel h a"}) {
            local.lines(change);
            assertThat(Objects.requireNonNull(local.keys().find(key)).expiresAtMillis())
                    .as(change)
                    .isEqualTo(time);
        }
    }

    @Test
    void hdel_lastField_removesTheKey() {
        local.answer("hset", "h", "a", "1", "b", "2");

        assertThat(local.lines("hdel h a x a")).isEqualTo(":1|");
        assertThat(local.lines("hdel h b")).isEqualTo(":1|");
        assertThat(local.keys().size()).isZero();
        assertThat(local.lines("hdel h b")).isEqualTo(":0|");
    }

    @Test
    void commands_onAString_areOfTheWrongType() {
        local.keys().put(LocalKeys.bytes("s"), ValueType.STRING, new byte[1], KeyEntry.NEVER);

        for (String command : new String[] {
            "hset s a 1", "hsetnx s a 1", "hmset s a 1", "hget s a", "hmget s a", "hgetall s", "hdel s a",
            "hexists s a", "hincrby s a 1", "hincrbyfloat s a 1", "hkeys s", "hvals s", "hlen s", "hstrlen s a",
            "hrandfield s", "hrandfield s 1", "hscan s 0"
        }) {
            assertThat(local.lines(command)).as(command).isEqualTo(WRONG_TYPE);
        }
    }

    @Test
    void hincrby_overTheLimit_isRefused() {
        local.answer("hset", "h", "a", "9223372036854775806", "t", "1x", "s", " 1");

        assertThat(local.lines("hincrby h a 1")).isEqualTo(":9223372036854775807|");
        assertThat(local.lines("hincrby h a 1")).isEqualTo("-ERR increment or decrement would overflow|");
        assertThat(local.lines("hincrby h t 1")).isEqualTo("-ERR hash value is not an integer|");
        assertThat(local.lines("hincrby h a 1x")).isEqualTo("-ERR value is not an integer or out of range|");
        assertThat(local.lines("hincrby h n -9223372036854775808")).isEqualTo(":-9223372036854775808|");
    }

    @Test
    void hincrbyfloat_numbers_areAddedAsRedisDoes() {
        local.answer("hset", "h", "a", "10.50", "t", "x");

        assertThat(local.lines("hincrbyfloat h a 0.1")).isEqualTo("$4|10.6|");
        assertThat(local.lines("hincrbyfloat h a -5e0")).isEqualTo("$3|5.6|");
        assertThat(local.lines("hincrbyfloat h t 1")).isEqualTo("-ERR hash value is not a float|");
        assertThat(local.lines("hincrbyfloat h a inf")).isEqualTo("-ERR value is NaN or Infinity|");
        assertThat(local.lines("hincrbyfloat h a nan")).isEqualTo("-ERR value is not a valid float|");
    }

    @Test
    void hgetall_inResp3_isAMap() {
        LocalKeys three = new LocalKeys(Protocol.RESP3);
        three.answer("hset", "h", "a", "1");

        assertThat(three.lines("hgetall h")).isEqualTo("%1|$1|a|$1|1|");
        assertThat(three.lines("hgetall none")).isEqualTo("%0|");
        assertThat(three.lines("hmget h a x a")).isEqualTo("*3|$1|1|_|$1|1|");
        assertThat(three.lines("hrandfield h -2 withvalues")).isEqualTo("*2|*2|$1|a|$1|1|*2|$1|a|$1|1|");
    }

    @Test
    void hrandfield_count_answersDifferentFieldsOfTheHash() {
        local.answer("hset", "h", "a", "1", "b", "2", "c", "3", "d", "4");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            String two = local.lines("hrandfield h 2");
            assertThat(two).matches("\\*2\\|\\$1\\|([abcd])\\|\\$1\\|(?!\\1)[abcd]\\|");
            seen.add(two);
        }
        // Six pairs, in the order of the hash.
        assertThat(seen).hasSize(6);
        assertThat(local.lines("hrandfield h 9")).isEqualTo("*4|$1|a|$1|b|$1|c|$1|d|");
        assertThat(local.lines("hrandfield h -9")).startsWith("*9|");
    }

    @Test
    void hrandfield_withoutCount_answersEachFieldAtSomeTime() {
        local.answer("hset", "h", "a", "1", "b", "2", "c", "3");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            seen.add(local.lines("hrandfield h"));
        }
        assertThat(seen).containsExactlyInAnyOrder("$1|a|", "$1|b|", "$1|c|");
    }

    @Test
    void hrandfield_tooManyRepeated_isRefused() {
        local.answer("hset", "h", "a", "x".repeat(1_000));

        assertThat(local.lines("hrandfield h -1048577")).isEqualTo("-ERR value is out of range|");
        assertThat(local.lines("hrandfield h -1000000 withvalues"))
                .isEqualTo("-ERR reply exceeds maximum allowed size (67108864 bytes)|");
        assertThat(local.lines("hrandfield h 5000000000000000000 withvalues")).isEqualTo("-ERR value is out of range|");
    }
}
