package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.resp.Glob;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The commands about all keys. Each answers for one keyspace; who has several puts the answers together. SCAN stops at
 * a number of bytes too, so that KEYS of a large keyspace can be answered in pages: SCAN with MATCH.
 */
final class KeyspaceCommands {

    /** KEYS answers so many bytes at most, as a request has at most. */
    static final int MOST_KEYS_BYTES = 64 << 20;

    /** SCAN looks at no more keys once its reply has so many bytes. */
    static final int SCAN_BYTES = 1 << 20;

    /** So many keys are looked at before the bytes of the reply are. */
    private static final int STEP = 64;

    /** Cursors of keyspaces are below. */
    private static final long CURSORS = 1L << 48;

    private KeyspaceCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("dbsize", KeyspaceCommands::dbsize);
        commands.put("keys", KeyspaceCommands::keys);
        commands.put("scan", KeyspaceCommands::scan);
        commands.put("randomkey", KeyspaceCommands::randomkey);
        commands.put("flushall", KeyspaceCommands::flush);
        commands.put("flushdb", KeyspaceCommands::flush);
    }

    private static void dbsize(CommandCall call) {
        call.reply().integer(call.keys().size());
    }

    private static void randomkey(CommandCall call) {
        byte[] key = call.keys().anyKey();
        if (key == null) {
            call.reply().nothing();
        } else {
            call.reply().bulk(key);
        }
    }

    private static void flush(CommandCall call) {
        boolean known = call.count() == 1
                || (call.count() == 2
                        && (call.option(1).equals("ASYNC") || call.option(1).equals("SYNC")));
        if (!known) {
            throw new CommandException(CommandException.SYNTAX);
        }
        call.keys().clear();
        call.reply().simple("OK");
    }

    private static boolean matches(Glob pattern, byte[] key) {
        return pattern.matches(Unpooled.wrappedBuffer(key), 0, key.length);
    }

    private static void keys(CommandCall call) {
        Glob pattern = new Glob(call.argument(1), false);
        int mark = call.reply().beginArray();
        int[] answered = {0};
        Keyspace.KeyVisitor visitor = (key, entry) -> {
            if (matches(pattern, key)) {
                call.reply().bulk(key);
                answered[0]++;
            }
        };
        long cursor = 0;
        do {
            cursor = call.keys().scan(cursor, STEP, visitor);
            if (call.reply().out().writerIndex() - mark > MOST_KEYS_BYTES) {
                throw new CommandException("ERR reply exceeds maximum allowed size (" + MOST_KEYS_BYTES
                        + " bytes); use SCAN instead of KEYS");
            }
        } while (cursor != 0);
        call.reply().endArray(mark, answered[0]);
    }

    private static void scan(CommandCall call) {
        ScanOptions options = ScanOptions.read(call, ScanOptions.cursor(call, 1), 2, true);
        Page page = new Page(options);
        long cursor = options.cursor();
        // A cursor that no keyspace has given leads to the end.
        long left = Long.compareUnsigned(cursor, CURSORS) < 0 ? options.count() : 0;
        do {
            int step = (int) Math.min(left, STEP);
            cursor = step == 0 ? 0 : call.keys().scan(cursor, step, page);
            left -= step;
        } while (cursor != 0 && left > 0 && page.bytes < SCAN_BYTES);
        call.reply().array(2);
        call.reply().bulk(cursor);
        call.reply().array(page.keys.size());
        page.keys.forEach(call.reply()::bulk);
    }

    /** The keys of one reply to SCAN. */
    private static final class Page implements Keyspace.KeyVisitor {
        private final ScanOptions options;
        private final List<byte[]> keys = new ArrayList<>();
        private long bytes;

        Page(ScanOptions options) {
            this.options = options;
        }

        @Override
        public void visit(byte[] key, KeyEntry entry) {
            boolean ofType =
                    options.type() == null || options.type().equals(entry.type().word());
            if (ofType && (options.pattern() == null || matches(options.pattern(), key))) {
                keys.add(key);
                bytes += key.length;
            }
        }
    }
}
