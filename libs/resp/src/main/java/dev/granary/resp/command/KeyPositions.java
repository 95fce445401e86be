package dev.granary.resp.command;

import dev.granary.resp.Request;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Which arguments of a request are keys. One of these serves request after request, on one thread. */
public final class KeyPositions {

    private static final int FEW = 16;

    private int[] positions = new int[FEW];
    private int[] specs = new int[FEW];
    private int count;

    public KeyPositions() {}

    /** Returns how many keys were found. */
    public int count() {
        return count;
    }

    /** Returns which argument of the request a key is. */
    public int position(int key) {
        return positions[key];
    }

    /** Returns which of the command's key specifications found a key. */
    public int spec(int key) {
        return specs[key];
    }

    /** Finds the keys of a request; false if its arguments make no sense for its command, then none was found. */
    public boolean find(Command command, Request request) {
        return find(command, request, 0);
    }

    /** Finds the keys of a request that begins at one of the arguments. */
    public boolean find(Command command, Request request, int begin) {
        count = 0;
        List<KeySpec> all = command.keySpecs();
        for (int i = 0; i < all.size(); i++) {
            KeySpec spec = all.get(i);
            if (!spec.isNoKey() && !find(spec, i, request, begin)) {
                count = 0;
                return false;
            }
        }
        return true;
    }

    private boolean find(KeySpec spec, int index, Request request, int begin) {
        int arguments = request.count() - begin;
        int first =
                switch (spec.begin()) {
                    case KeySpec.Index(int position) -> position;
                    case KeySpec.Keyword keyword -> behind(keyword, request, begin);
                    case KeySpec.Unknown() -> -1;
                };
        if (first == 0) {
            // The word is not there.
            return true;
        }
        return switch (spec.find()) {
            case KeySpec.Range range ->
                add(index, begin, arguments, first, last(range, first, arguments), range.step());
            case KeySpec.KeyNumber number -> {
                int at = first + number.numberAt();
                long keys = first > 0 && at < arguments ? request.number(begin + at, -1) : -1;
                int from = first + number.first();
                yield keys >= 0 && add(index, begin, arguments, from, from + keys - 1, number.step());
            }
            case KeySpec.Unknown() -> false;
        };
    }

    private static long last(KeySpec.Range range, int first, int arguments) {
        if (range.last() >= 0) {
            return (long) first + range.last();
        }
        return range.limit() == 0
                ? arguments + range.last()
                : first + (arguments - first) / range.limit() + range.last();
    }

    private boolean add(int spec, int begin, int arguments, int first, long last, int step) {
        if (first < 1 || first >= arguments || last < first || last >= arguments) {
            return false;
        }
        for (int at = first; at <= last; at += step) {
            if (count == positions.length) {
                positions = Arrays.copyOf(positions, 2 * count);
                specs = Arrays.copyOf(specs, 2 * count);
            }
            positions[count] = begin + at;
            specs[count++] = spec;
        }
        return true;
    }

    /** Returns the argument behind a word; 0 if the word is not there. */
    private static int behind(KeySpec.Keyword keyword, Request request, int begin) {
        int arguments = request.count() - begin;
        int from = keyword.startFrom() > 0 ? keyword.startFrom() : arguments + keyword.startFrom();
        int end = keyword.startFrom() > 0 ? arguments - 1 : 1;
        int step = from <= end ? 1 : -1;
        String word = keyword.word().toLowerCase(Locale.ROOT);
        for (int at = from; at != end && at >= 1 && at < arguments; at += step) {
            if (request.is(begin + at, word)) {
                return at + 1;
            }
        }
        return 0;
    }
}
