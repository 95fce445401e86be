package dev.granary.resp.acl;

import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.KeyFlags;
import dev.granary.resp.command.KeyPositions;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A set of permissions: a request must be allowed by one of them as a whole. Immutable.
 *
 * @param commands which commands may be carried out
 * @param allKeys whether on all keys
 * @param keys if not, on which
 * @param chunks which chunks may be used; who may use all keys may use all chunks as well
 * @param allChannels and {@code channels} say the same of channels, of which there are none: they are only kept
 */
public record Selector(
        CommandRules commands,
        boolean allKeys,
        List<KeyPattern> keys,
        List<ChunkRange> chunks,
        boolean allChannels,
        List<String> channels,
        RuleNames names) {

    private static final String AFTER_ALL = "Adding a pattern after the * pattern (or the '%s' flag) is not valid and"
            + " does not have any effect. Try '%s' to start with an empty list of %s";

    static Selector nothing(RuleNames names) {
        return new Selector(CommandRules.none(names), false, List.of(), List.of(), false, List.of(), names);
    }

    static Selector everything(RuleNames names) {
        return new Selector(CommandRules.all(names), true, List.of(), List.of(), true, List.of(), names);
    }

    /** Returns whether nothing is forbidden. */
    boolean allowsAll() {
        return allKeys && commands.allowsAll();
    }

    /**
     * Returns the permissions with one more rule.
     *
     * @throws RuleException when it cannot be applied
     */
    Selector with(String rule) throws RuleException {
        switch (rule.toLowerCase(Locale.ROOT)) {
            case "allkeys", "~*" -> {
                return withKeys(true, List.of());
            }
            case "resetkeys" -> {
                return withKeys(false, List.of());
            }
            case "allchunks", "^*" -> {
                return withChunks(List.of(ChunkRange.all()));
            }
            case "resetchunks" -> {
                return withChunks(List.of());
            }
            case "allchannels", "&*" -> {
                return withChannels(true, List.of());
            }
            case "resetchannels" -> {
                return withChannels(false, List.of());
            }
            case "allcommands" -> {
                return withCommands("+@all");
            }
            case "nocommands" -> {
                return withCommands("-@all");
            }
            default -> {
                if (ChunkRange.isRule(rule)) {
                    return withChunk(ChunkRange.parse(rule));
                }
                return switch (rule.charAt(0)) {
                    case '~', '%' -> withKey(rule);
                    case '&' -> withChannel(rule.substring(1));
                    case '+', '-' -> withCommands(rule);
                    default -> throw new RuleException(RuleException.SYNTAX);
                };
            }
        }
    }

    private Selector withCommands(String rule) throws RuleException {
        return new Selector(commands.with(rule), allKeys, keys, chunks, allChannels, channels, names);
    }

    private Selector withKeys(boolean all, List<KeyPattern> patterns) {
        return new Selector(commands, all, List.copyOf(patterns), chunks, allChannels, channels, names);
    }

    private Selector withChannels(boolean all, List<String> patterns) {
        return new Selector(commands, allKeys, keys, chunks, all, List.copyOf(patterns), names);
    }

    private Selector withChunks(List<ChunkRange> ranges) {
        return new Selector(commands, allKeys, keys, List.copyOf(ranges), allChannels, channels, names);
    }

    private Selector withChunk(ChunkRange added) {
        List<ChunkRange> more = new ArrayList<>();
        boolean isThere = false;
        for (ChunkRange each : chunks) {
            boolean same = each.isOfSame(added);
            more.add(same ? each.with(added) : each);
            isThere |= same;
        }
        if (!isThere) {
            more.add(added);
        }
        return withChunks(more);
    }

    private Selector withKey(String rule) throws RuleException {
        if (allKeys) {
            throw new RuleException(AFTER_ALL.formatted("allkeys", "resetkeys", "patterns"));
        }
        KeyPattern added = KeyPattern.parse(rule);
        List<KeyPattern> more = new ArrayList<>();
        boolean isThere = false;
        for (KeyPattern each : keys) {
            boolean same = each.pattern().equals(added.pattern());
            more.add(same ? each.with(added) : each);
            isThere |= same;
        }
        if (!isThere) {
            more.add(added);
        }
        return withKeys(false, more);
    }

    private Selector withChannel(String pattern) throws RuleException {
        if (allChannels) {
            throw new RuleException(AFTER_ALL.formatted("allchannels", "resetchannels", "channels"));
        }
        if (User.hasSpaces(pattern)) {
            throw new RuleException(RuleException.SYNTAX);
        }
        List<String> more = new ArrayList<>(channels);
        if (!more.contains(pattern)) {
            more.add(pattern);
        }
        return withChannels(false, more);
    }

    /**
     * Returns why a request is not allowed, null when it is.
     *
     * @param begin the argument of the request at which it begins
     * @param places finds its keys
     */
    @Nullable
    Denial check(Command command, Request request, int begin, KeyPositions places) {
        if (!commands.allows(command, request, begin)) {
            return Denial.ofCommand(command);
        }
        if (names.isOnChunks(command)) {
            return ofChunks(new ChunkArguments(command, request, begin).lacks(this));
        }
        if (allKeys) {
            return null;
        }
        if (!command.hasKeys() || !places.find(command, request, begin)) {
            return null;
        }
        for (int i = 0; i < places.count(); i++) {
            if (!allows(command, request, begin, places, i)) {
                int argument = places.position(i);
                return new Denial(Denial.Reason.KEY, request.text(argument), argument);
            }
        }
        return null;
    }

    /** Returns why a request for chunks is not allowed, null when it is. */
    <T> @Nullable Denial check(Command command, T request, ChunkNeeds<T> needs) {
        return commands.allows(command) ? ofChunks(needs.lacks(this, request)) : Denial.ofCommand(command);
    }

    private static @Nullable Denial ofChunks(@Nullable String lack) {
        return lack == null ? null : new Denial(Denial.Reason.KEY, lack, 0);
    }

    /**
     * Returns whether all chunks with CIDs from one to another, compared unsigned, may be used. What commands may do
     * that is another question.
     */
    public boolean allowsChunks(boolean reads, boolean writes, long from, long to) {
        if (allKeys) {
            return true;
        }
        // By index: an iterator for each request would be garbage.
        for (int i = 0; i < keys.size(); i++) {
            KeyPattern each = keys.get(i);
            if (each.isOfAll() && each.allows(reads, writes)) {
                return true;
            }
        }
        for (int i = 0; i < chunks.size(); i++) {
            if (chunks.get(i).allows(reads, writes, from, to)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether there is a range of chunks in which some storage peer may create. */
    public boolean allowsACreator() {
        return chunks.stream().anyMatch(ChunkRange::allowsACreator);
    }

    /** Returns whether all keys may be read, whatever they are. What commands may do that is another question. */
    public boolean allowsToReadAllKeys() {
        return allKeys || keys.stream().anyMatch(each -> each.isOfAll() && each.allows(true, false));
    }

    /** Returns whether a command may read a key. */
    boolean allowsToRead(Command command, ByteBuf buffer, int start, int length) {
        return commands.allows(command) && (allKeys || isAmong(true, false, buffer, start, length));
    }

    private boolean isAmong(boolean reads, boolean writes, ByteBuf buffer, int start, int length) {
        for (int i = 0; i < keys.size(); i++) {
            KeyPattern each = keys.get(i);
            if (each.allows(reads, writes) && each.glob().matches(buffer, start, length)) {
                return true;
            }
        }
        return false;
    }

    private boolean allows(Command command, Request request, int begin, KeyPositions places, int key) {
        List<String> flags = KeyFlags.of(command, places.spec(key), request, begin);
        boolean reads = flags.contains("access");
        boolean writes = flags.contains("insert") || flags.contains("delete") || flags.contains("update");
        int argument = places.position(key);
        return isAmong(reads, writes, request.buffer(), request.start(argument), request.length(argument));
    }

    /** Returns which commands are allowed, as rules. */
    public String commandText() {
        return commands.text();
    }

    /** Returns which keys and chunks are allowed, as rules. */
    public String keyText() {
        Stream<String> ofKeys = allKeys ? Stream.of("~*") : keys.stream().map(KeyPattern::text);
        return Stream.concat(ofKeys, chunks.stream().map(ChunkRange::text)).collect(Collectors.joining(" "));
    }

    /** Returns which channels are allowed, as rules. */
    public String channelText() {
        return allChannels ? "&*" : channels.stream().map(each -> "&" + each).collect(Collectors.joining(" "));
    }

    /** Returns the rules that make it from {@link #nothing}. */
    String text() {
        String ofKeys = keyText().isEmpty() ? "" : keyText() + " ";
        String ofChannels = allChannels ? "&* " : "resetchannels " + (channels.isEmpty() ? "" : channelText() + " ");
        return ofKeys + ofChannels + commandText();
    }
}
