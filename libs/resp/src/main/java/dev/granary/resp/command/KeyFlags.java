package dev.granary.resp.command;

import dev.granary.resp.Request;
import java.util.List;

/**
 * What a request does with its keys: what its command's key specification says, unless that leaves it to the arguments.
 * Two commands do: SET, which may read the old value, and BITFIELD, which may only read.
 */
public final class KeyFlags {

    private static final List<String> READ = List.of("RO", "access");
    private static final List<String> CHANGE = List.of("RW", "access", "update");
    private static final List<String> OVERWRITE = List.of("OW", "update");

    private KeyFlags() {}

    /** Returns the flags of a key that was found by a key specification. The request begins at one of its arguments. */
    public static List<String> of(Command command, int spec, Request request, int begin) {
        return switch (command.name()) {
            case "set" -> ofSet(request, begin);
            case "bitfield" -> readsBits(request, begin) ? READ : CHANGE;
            default -> command.keySpecs().get(spec).flags();
        };
    }

    private static List<String> ofSet(Request request, int begin) {
        for (int i = begin + 3; i < request.count(); i++) {
            if (request.is(i, "get")) {
                return CHANGE;
            }
        }
        return OVERWRITE;
    }

    private static boolean readsBits(Request request, int begin) {
        int at = begin + 2;
        while (at < request.count()) {
            int following = request.count() - at - 1;
            if (request.is(at, "get") && following >= 2) {
                at += 3;
            } else if (request.is(at, "overflow") && following >= 1) {
                at += 2;
            } else {
                return false;
            }
        }
        return true;
    }
}
