package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.keyed.HeapKeyspace;
import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.ValueType;
import dev.granary.resp.Protocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands leave when there is no room for what they write. */
class FullKeyspaceTest {

    /** Reads and removes as another one, but has no room. */
    private record Full(Keyspace keys) implements Keyspace {

        @Override
        public long nowMillis() {
            return keys.nowMillis();
        }

        @Override
        public @Nullable KeyEntry find(byte[] key) {
            return keys.find(key);
        }

        @Override
        public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
            throw new KeyspaceFullException("no room");
        }

        @Override
        public boolean remove(byte[] key) {
            return keys.remove(key);
        }

        @Override
        public long size() {
            return keys.size();
        }

        @Override
        public long scan(long cursor, int count, KeyVisitor visitor) {
            return keys.scan(cursor, count, visitor);
        }

        @Override
        public byte @Nullable [] anyKey() {
            return keys.anyKey();
        }

        @Override
        public void clear() {
            keys.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET a 2",
                "SET a 2 GET",
                "APPEND a x",
                "SETRANGE a 0 x",
                "SETBIT a 0 1",
                "BITFIELD a SET u8 0 1 GET u8 0",
                "INCR a",
                "INCRBYFLOAT a 1",
                "GETSET a 2",
                "GETEX a EX 10",
                "EXPIRE a 10",
                "RENAME a b",
                "COPY a b",
                "MSET b 1 c 2",
                "BITOP NOT b a"
            })
    void run_noRoom_throwsWithoutAReplyAndTheKeysStay(String line) {
        HeapKeyspace keys = new HeapKeyspace();
        CommandRig before = new CommandRig(Protocol.RESP2, keys);
        before.run("SET a 1");
        CommandRig full = new CommandRig(Protocol.RESP2, new Full(keys));

        assertThatThrownBy(() -> full.run(line)).isInstanceOf(KeyspaceFullException.class);

        assertThat(full.replyBytes()).isZero();
        assertThat(before.run("MGET a b c")).isEqualTo("*3\\r\\n$1\\r\\n1\\r\\n$-1\\r\\n$-1\\r\\n");
        assertThat(before.run("TTL a")).isEqualTo(":-1\\r\\n");
    }
}
