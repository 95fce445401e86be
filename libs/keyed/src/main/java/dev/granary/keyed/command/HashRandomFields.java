package dev.granary.keyed.command;

import dev.granary.keyed.hash.HashPairs;
import dev.granary.resp.Protocol;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * HRANDFIELD. Which fields are chosen follows from the time and from how many calls came before, so that a simulated
 * world repeats it.
 */
final class HashRandomFields {

    /** A count of repeated fields may be any number in Redis; here it is bounded, as every reply is. */
    private static final long MOST_REPEATED = 1 << 20;

    private static final int MOST_REPLY_BYTES = 64 << 20;

    private final AtomicLong calls = new AtomicLong();

    /** Where a field and its value lie in the bytes of a hash. */
    private record Place(int field, int fieldLength, int value, int valueLength) {

        static Place of(HashPairs pairs) {
            return new Place(pairs.fieldStart(), pairs.fieldLength(), pairs.valueStart(), pairs.valueLength());
        }
    }

    private HashRandomFields() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("hrandfield", new HashRandomFields()::hrandfield);
    }

    private void hrandfield(CommandCall call) {
        if (call.count() == 2) {
            one(call);
            return;
        }
        long count = call.integer(2);
        if (count == Long.MIN_VALUE) {
            throw new CommandException(
                    "ERR value is out of range, value must between " + -Long.MAX_VALUE + " and " + Long.MAX_VALUE);
        }
        if (call.count() > 4 || (call.count() == 4 && !call.option(3).equals("WITHVALUES"))) {
            throw new CommandException(CommandException.SYNTAX);
        }
        boolean withValues = call.count() == 4;
        if (withValues && (count < -Long.MAX_VALUE / 2 || count > Long.MAX_VALUE / 2)) {
            throw new CommandException("ERR value is out of range");
        }
        byte[] content = HashCommands.content(call);
        if (content == null || count == 0) {
            call.reply().array(0);
        } else if (count < 0) {
            repeated(call, content, -count, withValues);
        } else {
            different(call, content, count, withValues);
        }
    }

    private SplittableRandom random(CommandCall call) {
        return new SplittableRandom((call.keys().nowMillis() << 20) ^ calls.incrementAndGet());
    }

    private void one(CommandCall call) {
        byte[] content = HashCommands.content(call);
        if (content == null) {
            call.reply().nothing();
            return;
        }
        HashPairs pairs = new HashPairs(content);
        for (int left = random(call).nextInt(pairs.count()); left >= 0; left--) {
            pairs.next();
        }
        HashCommands.bulk(call, content, pairs.fieldStart(), pairs.fieldLength());
    }

    /** Answers as many fields as asked for, each chosen among all. */
    private void repeated(CommandCall call, byte[] content, long count, boolean withValues) {
        if (count > MOST_REPEATED) {
            throw new CommandException("ERR value is out of range");
        }
        HashPairs pairs = new HashPairs(content);
        Place[] places = new Place[pairs.count()];
        for (int i = 0; pairs.next(); i++) {
            places[i] = Place.of(pairs);
        }
        SplittableRandom random = random(call);
        int begin = call.reply().out().writerIndex();
        head(call, (int) count, withValues);
        for (int i = 0; i < count; i++) {
            answer(call, content, places[random.nextInt(places.length)], withValues);
            if (call.reply().out().writerIndex() - begin > MOST_REPLY_BYTES) {
                throw new CommandException("ERR reply exceeds maximum allowed size (" + MOST_REPLY_BYTES + " bytes)");
            }
        }
    }

    /** Answers different fields, in the order in which the hash has them; all if there are no more. */
    private void different(CommandCall call, byte[] content, long count, boolean withValues) {
        HashPairs pairs = new HashPairs(content);
        int wanted = (int) Math.min(count, pairs.count());
        SplittableRandom random = random(call);
        head(call, wanted, withValues);
        int left = wanted;
        for (int behind = pairs.count(); left > 0 && pairs.next(); behind--) {
            // Each of the fields that are left is as likely as the others to be one of those still wanted.
            if (random.nextInt(behind) < left) {
                answer(call, content, Place.of(pairs), withValues);
                left--;
            }
        }
    }

    /** RESP3 has an array for each field with its value, RESP2 one for all. */
    private static void head(CommandCall call, int count, boolean withValues) {
        call.reply().array(withValues && call.reply().protocol() == Protocol.RESP2 ? 2 * count : count);
    }

    private static void answer(CommandCall call, byte[] content, Place place, boolean withValues) {
        if (withValues && call.reply().protocol() != Protocol.RESP2) {
            call.reply().array(2);
        }
        HashCommands.bulk(call, content, place.field, place.fieldLength);
        if (withValues) {
            HashCommands.bulk(call, content, place.value, place.valueLength);
        }
    }
}
