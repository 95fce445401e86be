package dev.granary.memory.page;

import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;

/** Changes groups. Under the page's exclusive latch, or before the group is known. */
public final class GroupEditor {

    /** The lowest bit of each byte. */
    private static final long BYTE_BITS = 0x0101010101010101L;

    private final Vmb vmb;

    GroupEditor(Vmb vmb) {
        this.vmb = vmb;
    }

    /** Makes the bytes of a new block an empty group. */
    public void clear(long word, int capacityBytes) {
        long block = EntryLayout.address(word);
        vmb.zero(block, Group.headerBytes(word));
        vmb.setShort(block + Group.CAPACITY, capacityBytes);
    }

    public int capacity(long word) {
        return vmb.getShort(EntryLayout.address(word) + Group.CAPACITY);
    }

    public int end(long word) {
        return vmb.getShort(EntryLayout.address(word) + Group.END);
    }

    /** Whether a LID's bytes can become as many as a code stands for, without another block. */
    boolean hasRoom(long word, int index, int code) {
        int delta = Group.bytes(word, code) - Group.bytes(word, Group.code(vmb, word, index));
        return end(word) + delta <= capacity(word);
    }

    /**
     * Gives a LID another code. The bytes of all others stay, those of this one are kept as far as they go.
     *
     * @return where its bytes are now
     */
    public long setCode(long word, int index, int code) {
        long block = EntryLayout.address(word);
        int old = Group.bytes(word, Group.code(vmb, word, index));
        int delta = Group.bytes(word, code) - old;
        int offset = Group.offset(vmb, word, index);
        long at = Group.payload(word) + offset;
        int end = end(word);
        int behind = end - offset - old;
        if (delta != 0) {
            if (behind > 0) {
                vmb.move(at + old, at + old + delta, behind);
            }
            for (int octet = (index >>> 3) + 1; octet < Group.LIDS / 8; octet++) {
                long field = block + Group.OFFSETS - 2 + 2L * octet;
                vmb.setShort(field, vmb.getShort(field) + delta);
            }
            vmb.setShort(block + Group.END, end + delta);
        }
        writeCode(word, index, code);
        return at;
    }

    /**
     * Fills an empty, narrow group that has room with the slots of a typed page.
     *
     * @param live which of the 64 slots hold something
     * @param forwards which of these hold forwards
     * @param from where the first slot is
     */
    public void fill(long word, long live, long forwards, long from, int stride) {
        long block = EntryLayout.address(word);
        long direct = live & ~forwards;
        for (int octet = 0; octet < Group.LIDS / 8; octet++) {
            long below = (1L << (octet << 3)) - 1;
            int offset =
                    Long.bitCount(direct & below) * stride + Long.bitCount(live & forwards & below) * EntryLayout.BYTES;
            if (octet > 0) {
                vmb.setShort(block + Group.OFFSETS - 2 + 2L * octet, offset);
            }
            // One bit becomes one byte.
            long codes = Long.expand(direct >>> (octet << 3), BYTE_BITS) * Group.codeOf(word, stride)
                    + Long.expand((live & forwards) >>> (octet << 3), BYTE_BITS) * Group.forwardCode(word);
            vmb.setLong(block + Group.CODES + ((long) octet << 3), codes);
        }
        long to = Group.payload(word);
        for (long left = live; left != 0; left &= left - 1) {
            int index = Long.numberOfTrailingZeros(left);
            int bytes = (forwards & 1L << index) != 0 ? EntryLayout.BYTES : stride;
            vmb.copy(from + (long) index * stride, to, bytes);
            to += bytes;
        }
        vmb.setShort(block + Group.END, (int) (to - Group.payload(word)));
    }

    /** Copies all of a group to an empty one that accepts its sizes and has room. */
    void copy(long from, long to) {
        long target = EntryLayout.address(to);
        long source = EntryLayout.address(from);
        int end = end(from);
        for (int octet = 1; octet < Group.LIDS / 8; octet++) {
            long field = Group.OFFSETS - 2 + 2L * octet;
            vmb.setShort(target + field, vmb.getShort(source + field));
        }
        vmb.setShort(target + Group.END, end);
        for (int i = 0; i < Group.LIDS; i++) {
            int code = Group.code(vmb, from, i);
            if (code == Group.forwardCode(from)) {
                code = Group.forwardCode(to);
            } else if (code != 0) {
                code += Group.minimum(from) - Group.minimum(to);
            }
            writeCode(to, i, code);
        }
        vmb.move(Group.payload(from), Group.payload(to), end);
    }

    private void writeCode(long word, int index, int code) {
        long codes = EntryLayout.address(word) + Group.CODES;
        if (Group.isWide(word)) {
            vmb.setShort(codes + 2L * index, code);
        } else {
            vmb.setByte(codes + index, code);
        }
    }
}
