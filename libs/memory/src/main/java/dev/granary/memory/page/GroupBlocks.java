package dev.granary.memory.page;

import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.os.Vmb;

/**
 * Gives groups blocks of the right size. Under the page's exclusive latch, or before the page is known. Whatever fails
 * leaves the group as it was.
 */
public final class GroupBlocks {

    /** Room that a group keeps at most without being cut: a share of what it uses. */
    private static final int SLACK_SHARE = 24;

    private static final int MIN_SLACK_BYTES = 32;

    private final Vmb vmb;
    private final GroupEditor editor;

    GroupBlocks(Vmb vmb, GroupEditor editor) {
        this.vmb = vmb;
        this.editor = editor;
    }

    /** Makes an empty group. Returns its word, or 0 if there is no room. */
    long make(BlockSource blocks, boolean wide, int minimum, int capacityBytes) {
        long shape = Group.word(0, wide, minimum);
        long block = blocks.allocate(Group.headerBytes(shape) + (long) capacityBytes, 1, Marker.OTHER);
        if (block == 0) {
            return 0;
        }
        long word = shape | block;
        editor.clear(word, capacityBytes);
        return word;
    }

    /**
     * Makes a group ready for a code of a LID: it accepts the size and has room.
     *
     * @param at address of the group's word, which may be 0
     * @param payloadSize of the chunk, {@link EntryLayout#BYTES} for a forward
     * @param forward whether it is a forward
     * @param wanted how many bytes of payload the group should have room for if it needs another block
     * @return the group's word, or 0 if there is no room in memory
     */
    public long prepare(BlockSource blocks, long at, int index, int payloadSize, boolean forward, int wanted) {
        long word = vmb.getAcquire(at);
        if (word == 0) {
            int minimum = forward ? 0 : Group.minimumFor(payloadSize);
            word = make(blocks, false, minimum, Math.max(wanted, payloadSize));
            vmb.setRelease(at, word);
            return word;
        }
        boolean accepted = forward || Group.accepts(word, payloadSize);
        int delta = payloadSize - Group.bytes(word, Group.code(vmb, word, index));
        int needed = editor.end(word) + delta;
        if (accepted && needed <= editor.capacity(word)) {
            return word;
        }
        boolean wide = Group.isWide(word) || !accepted;
        int capacity = Math.min(Group.MAX_PAYLOAD, Math.max(wanted, Math.max(needed, editor.end(word))));
        return swing(blocks, at, word, wide, capacity);
    }

    /** Whether a group would still fit the largest block when a LID's bytes become as many as said. */
    public boolean fits(long word, int index, int payloadSize) {
        return word == 0
                || editor.end(word) + payloadSize - Group.bytes(word, Group.code(vmb, word, index))
                        <= Group.MAX_PAYLOAD;
    }

    /** Gives back room that a group does not use, if that is much, or its block if it has no chunk any more. */
    public void trim(BlockSource blocks, long at, int toleratedBytes) {
        long word = vmb.getAcquire(at);
        if (word == 0) {
            return;
        }
        int end = editor.end(word);
        if (end == 0 && isEmpty(word)) {
            vmb.setRelease(at, 0);
            blocks.free(EntryLayout.address(word), Group.blockBytes(vmb, word));
        } else if (editor.capacity(word) - end > toleratedBytes) {
            swing(blocks, at, word, Group.isWide(word), end);
        }
    }

    /** What {@link #trim} should tolerate in a group that nobody is filling. */
    public int tolerated(long word) {
        return word == 0 ? 0 : Math.max(MIN_SLACK_BYTES, editor.end(word) / SLACK_SHARE);
    }

    /** Moves a group to another block of the same size. Returns false if there is no room. */
    boolean relocate(BlockSource blocks, long at) {
        long word = vmb.getAcquire(at);
        return swing(blocks, at, word, Group.isWide(word), editor.capacity(word)) != 0;
    }

    private long swing(BlockSource blocks, long at, long word, boolean wide, int capacity) {
        long moved = make(blocks, wide, wide ? 0 : Group.minimum(word), capacity);
        if (moved != 0) {
            editor.copy(word, moved);
            vmb.setRelease(at, moved);
            blocks.free(EntryLayout.address(word), Group.blockBytes(vmb, word));
        }
        return moved;
    }

    private boolean isEmpty(long word) {
        for (int i = 0; i < Group.LIDS; i++) {
            if (Group.code(vmb, word, i) != 0) {
                return false;
            }
        }
        return true;
    }
}
