package dev.granary.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.Request;
import dev.granary.resp.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyPositionsTest {

    /** Ways to find keys that none of Redis's commands in our table has. */
    private static final CommandTable TABLE = CommandTable.redis().with(CommandTable.read("""
                    command eval
                     arity -3
                     key-spec
                      begin index 2
                      find keynum 0 1 1
                     group scripting
                    command migrate
                     arity -6
                     key-spec
                      begin keyword KEYS -2
                      find range -1 1 0
                     group generic
                    command sort
                     arity -2
                     key-spec
                      begin index 1
                      find range 0 1 0
                     key-spec
                      begin keyword STORE 2
                      find range 0 1 0
                     group generic
                    command xread
                     arity -4
                     key-spec
                      begin keyword STREAMS 1
                      find range -1 1 2
                     group stream
                    command publish
                     arity 3
                     key-spec
                      flags not_key
                      begin index 1
                      find range 0 1 0
                     group pubsub
                    command guess
                     arity -2
                     key-spec
                      begin index 1
                      find unknown
                     group generic
                    """));

    private static @Nullable List<Integer> found(String line) {
        Request request = Wire.request(line.split(" "));
        try {
            KeyPositions keys = new KeyPositions();
            if (!keys.find(Objects.requireNonNull(TABLE.find(request)), request)) {
                assertThat(keys.count()).isZero();
                return null;
            }
            List<Integer> positions = new ArrayList<>();
            for (int i = 0; i < keys.count(); i++) {
                positions.add(keys.position(i));
            }
            return positions;
        } finally {
            request.release();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "GET k                    | [1]",
                "PING                     | []",
                "MGET a b c               | [1, 2, 3]",
                "MSET a 1 b 2             | [1, 3]",
                "MSET a 1 b               | [1, 3]",
                "BITOP AND d a b          | [2, 3, 4]",
                "OBJECT ENCODING k        | [2]",
                "EVAL script 2 a b c      | [3, 4]",
                "EVAL script 0 a          | none",
                "EVAL script 3 a b        | none",
                "EVAL script x a b        | none",
                "EVAL script -1 a b       | none",
                "EVAL script 9223372036854775807 a | none",
                "MIGRATE h p x 0 5 KEYS a b | [7, 8]",
                "MIGRATE h p x 0 5 COPY   | []",
                "SORT k BY x STORE d      | [1, 5]",
                "SORT k                   | [1]",
                "SORT k STORE             | [1]",
                "XREAD COUNT 1 STREAMS a b 0 0 | [4, 5]",
                "PUBLISH c m              | []",
                "GUESS a                  | none"
            })
    void find_request_givesItsKeys(String line, @Nullable String keys) {
        List<Integer> found = found(line);
        assertThat(found == null ? null : found.toString()).isEqualTo(keys);
    }
}
