package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** The commands on the times at which keys expire. */
final class ExpiryCommands {

    private static final int SECOND = 1000;

    /** When EXPIRE and its like set a time. */
    private enum Condition {
        NX,
        XX,
        GT,
        LT
    }

    private ExpiryCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("expire", call -> expire(call, TimeForm.EX));
        commands.put("expireat", call -> expire(call, TimeForm.EXAT));
        commands.put("expiretime", call -> time(call, false, true));
        commands.put("persist", ExpiryCommands::persist);
        commands.put("pexpire", call -> expire(call, TimeForm.PX));
        commands.put("pexpireat", call -> expire(call, TimeForm.PXAT));
        commands.put("pexpiretime", call -> time(call, true, true));
        commands.put("pttl", call -> time(call, true, false));
        commands.put("ttl", call -> time(call, false, false));
    }

    private static void expire(CommandCall call, TimeForm form) {
        Set<Condition> conditions = conditions(call);
        long expiresAt = form.anyTime(call, 2);
        byte[] key = call.argument(1);
        KeyEntry entry = call.keys().find(key);
        boolean sets = entry != null && conditions.stream().allMatch(condition -> holds(condition, entry, expiresAt));
        if (entry != null && sets) {
            call.keys().put(key, entry.type(), entry.content(), expiresAt);
        }
        call.reply().integer(sets ? 1 : 0);
    }

    private static Set<Condition> conditions(CommandCall call) {
        Set<Condition> conditions = EnumSet.noneOf(Condition.class);
        for (int i = 3; i < call.count(); i++) {
            switch (call.option(i)) {
                case "NX" -> conditions.add(Condition.NX);
                case "XX" -> conditions.add(Condition.XX);
                case "GT" -> conditions.add(Condition.GT);
                case "LT" -> conditions.add(Condition.LT);
                default -> throw new CommandException("ERR Unsupported option " + call.text(i));
            }
        }
        if (conditions.contains(Condition.NX) && conditions.size() > 1) {
            throw new CommandException("ERR NX and XX, GT or LT options at the same time are not compatible");
        }
        if (conditions.contains(Condition.GT) && conditions.contains(Condition.LT)) {
            throw new CommandException("ERR GT and LT options at the same time are not compatible");
        }
        return conditions;
    }

    /** A key that does not expire counts as one that expires behind all times. */
    private static boolean holds(Condition condition, KeyEntry entry, long expiresAt) {
        return switch (condition) {
            case NX -> !entry.expires();
            case XX -> entry.expires();
            case GT -> expiresAt > entry.expiresAtMillis();
            case LT -> expiresAt < entry.expiresAtMillis();
        };
    }

    private static void persist(CommandCall call) {
        byte[] key = call.argument(1);
        KeyEntry entry = call.keys().find(key);
        boolean expires = entry != null && entry.expires();
        if (entry != null && expires) {
            call.keys().put(key, entry.type(), entry.content(), KeyEntry.NEVER);
        }
        call.reply().integer(expires ? 1 : 0);
    }

    private static void time(CommandCall call, boolean inMillis, boolean absolute) {
        KeyEntry entry = call.keys().find(call.argument(1));
        if (entry == null) {
            call.reply().integer(-2);
        } else if (!entry.expires()) {
            call.reply().integer(-1);
        } else {
            long millis = entry.expiresAtMillis() - (absolute ? 0 : call.keys().nowMillis());
            // To the nearest second: without a sum, which would be too large for the last of all times.
            long seconds = millis / SECOND + (millis % SECOND < SECOND / 2 ? 0 : 1);
            call.reply().integer(inMillis ? millis : seconds);
        }
    }
}
