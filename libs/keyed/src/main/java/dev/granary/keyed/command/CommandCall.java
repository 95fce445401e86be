package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.ValueType;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One request that is carried out: its arguments, the keys that it may use, and where its reply goes. The number of
 * arguments is what the command takes. A command writes exactly one reply, or throws before it has written and changed
 * anything.
 */
public record CommandCall(Command command, Request request, Keyspace keys, ReplyWriter reply) {

    /** Returns how many arguments there are, with the command's name. */
    public int count() {
        return request.count();
    }

    /** Returns a copy of an argument. */
    public byte[] argument(int index) {
        byte[] bytes = new byte[request.length(index)];
        request.buffer().getBytes(request.start(index), bytes);
        return bytes;
    }

    /** Returns an option in capitals. */
    public String option(int index) {
        return text(index).toUpperCase(Locale.ROOT);
    }

    /** Returns an argument as text in which each byte is a character of its own. As in C, a zero ends it. */
    public String text(int index) {
        String text = request.text(index);
        int zero = text.indexOf(0);
        return zero < 0 ? text : text.substring(0, zero);
    }

    /**
     * Returns the whole number that an argument is.
     *
     * @throws CommandException when it is none
     */
    public long integer(int index) {
        long value = request.number(index, Long.MIN_VALUE);
        if (value == Long.MIN_VALUE && request.number(index, Long.MAX_VALUE) != Long.MIN_VALUE) {
            throw new CommandException(CommandException.NOT_AN_INTEGER);
        }
        return value;
    }

    /**
     * Returns what a key stands for if that is of a type; null when the key is not there.
     *
     * @throws CommandException when it stands for something of another type
     */
    public @Nullable KeyEntry find(byte[] key, ValueType type) {
        KeyEntry entry = keys.find(key);
        if (entry != null && entry.type() != type) {
            throw new CommandException(CommandException.WRONG_TYPE);
        }
        return entry;
    }
}
