package dev.granary.memory;

/**
 * Checks a chunk memory while no operation is running: each block belongs to exactly one entry or table and the
 * reverse, markers, lengths and lists of free blocks agree, free LIDs can be found and are there once, counters and
 * extents add up.
 */
final class Verifier {

    private final Parts parts;
    private final Stripes stripes;
    private final Findings findings = new Findings();

    Verifier(Parts parts) {
        this.parts = parts;
        this.stripes = parts.stripes();
    }

    VerifierReport verify() {
        return verify(0);
    }

    /** Takes the locks of all stripes, then looks. */
    private VerifierReport verify(int locked) {
        if (locked < stripes.count()) {
            Stripe stripe = stripes.get(locked);
            stripe.lock.lock();
            try {
                return verify(locked + 1);
            } finally {
                stripe.lock.unlock();
            }
        }
        new TableWalk(parts, findings).walk(parts.table().rootWord());
        findings.sort();
        long regionBytes = 0;
        for (int i = 0; i < stripes.count(); i++) {
            BlockArena arena = stripes.get(i).arena;
            new HeapWalk(parts.vmb(), arena, findings).walk();
            for (BlockArena.Region region : arena.regions()) {
                regionBytes += region.end() - region.start();
            }
        }
        checkCounters(regionBytes);
        checkFreeLids();
        return new VerifierReport(findings.blocks, findings.freeBlocks, findings.chunks, findings.violations);
    }

    private void checkCounters(long regionBytes) {
        expect("blocks", findings.claims.size() + findings.tables, findings.blocks);
        expect("tables", parts.table().tables(), findings.tables);
        expect("bytes of regions", parts.extents().regionBytes(), regionBytes);
        long chunks = 0;
        long payload = 0;
        for (int i = 0; i < stripes.count(); i++) {
            chunks += stripes.get(i).chunks();
            payload += stripes.get(i).payloadBytes();
        }
        expect("chunks", chunks, findings.chunks);
        expect("bytes of payload", payload, findings.payloadBytes);
    }

    private void checkFreeLids() {
        LongList inCaches = new LongList();
        long unused = 0;
        for (int i = 0; i < stripes.count(); i++) {
            LidSource lids = stripes.get(i).lids;
            for (int k = 0; k < lids.cache().size(); k++) {
                long lid = lids.cache().get(k);
                inCaches.add(lid);
                if (!findings.cachedLids.contains(lid)) {
                    // A LID whose create failed: its entry was never written.
                    unused++;
                    checkUnused(lid);
                }
            }
            for (long lid = lids.nextFresh(); lid < lids.endFresh(); lid++) {
                inCaches.add(lid);
                unused++;
                checkUnused(lid);
            }
        }
        inCaches.sort();
        for (int i = 1; i < inCaches.size(); i++) {
            if (inCaches.get(i) == inCaches.get(i - 1)) {
                findings.violation("LID %d would be given twice".formatted(inCaches.get(i)));
            }
        }
        expect("LIDs in caches", findings.cachedLids.size() + unused, inCaches.size());
    }

    private void checkUnused(long lid) {
        long entry = parts.table().find(lid);
        if (entry != 0 && parts.vmb().getAcquire(entry) != EntryLayout.NEVER_USED) {
            findings.violation("LID %d is free in a cache, but its entry says otherwise".formatted(lid));
        }
    }

    private void expect(String what, long expected, long found) {
        if (expected != found) {
            findings.violation("%s: expected %d, found %d".formatted(what, expected, found));
        }
    }
}
