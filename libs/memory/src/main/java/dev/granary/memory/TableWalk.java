package dev.granary.memory;

import static dev.granary.memory.EntryLayout.HAS_FREE;
import static dev.granary.memory.EntryLayout.address;

/** Walks the CID table and checks each word of it. */
final class TableWalk {

    private static final long ENTRIES = 1L << CidTable.LEVEL_BITS;

    private final Vmb vmb;
    private final long firstLid;
    private final long lidMark;
    private final Extents extents;
    private final Findings findings;

    TableWalk(Parts parts, Findings findings) {
        this.vmb = parts.vmb();
        this.firstLid = parts.firstLid();
        this.lidMark = parts.fresh().next();
        this.extents = parts.extents();
        this.findings = findings;
    }

    void walk(long root) {
        int height = EntryLayout.height(root);
        if (height > 0) {
            walk(address(root), CidTable.LEVEL_BITS * (height - 1), 0, (root & HAS_FREE) != 0);
        }
    }

    /** Walks a table; flagged says whether all words on the way to it have their flag set. */
    private void walk(long table, int shift, long lids, boolean flagged) {
        if ((table & 7) != 0 || !extents.isTaken(table)) {
            findings.violation("table of LID %d at 0x%x: not a place for a table".formatted(lids, table));
            return;
        }
        findings.tables++;
        findings.tableAddresses.add(table);
        for (long i = 0; i < ENTRIES; i++) {
            long word = vmb.getAcquire(CidTable.slot(table, i));
            long lid = lids | i << shift;
            if (shift == 0) {
                check(word, lid, flagged);
            } else if (address(word) != 0) {
                walk(address(word), shift - CidTable.LEVEL_BITS, lid, flagged && (word & HAS_FREE) != 0);
            } else if (word != 0) {
                findings.violation("word above LID %d is %x: no table, but flags".formatted(lid, word));
            }
        }
    }

    private void check(long entry, long lid, boolean flagged) {
        if (entry != EntryLayout.NEVER_USED && (lid < firstLid || lid >= lidMark)) {
            findings.violation("LID %d was never given, but its entry is %x".formatted(lid, entry));
        }
        if (EntryLayout.isChunk(entry)) {
            checkChunk(entry, lid);
        } else if (entry == EntryLayout.FREE_CACHED) {
            findings.cachedLids.add(lid);
        } else if (entry == EntryLayout.FREE_LISTED) {
            if (!flagged) {
                findings.violation("LID %d is free, but no flag leads a harvest to it".formatted(lid));
            }
        } else if (entry != EntryLayout.NEVER_USED) {
            findings.violation("LID %d has the reserved entry %x".formatted(lid, entry));
        }
    }

    private void checkChunk(long entry, long lid) {
        findings.chunks++;
        if (entry >>> (EntryLayout.ADDRESS_BITS + 12) != 0) {
            findings.violation("LID %d is locked or pinned: entry %x".formatted(lid, entry));
        }
        if (address(entry) == EntryLayout.EMPTY_CHUNK) {
            findings.emptyChunks++;
            if (entry != EntryLayout.EMPTY_CHUNK) {
                findings.violation("LID %d has no bytes, but its entry is %x".formatted(lid, entry));
            }
        } else if (!extents.isTaken(address(entry))) {
            findings.violation("LID %d has an impossible address: entry %x".formatted(lid, entry));
        } else {
            findings.claim(entry);
        }
    }
}
