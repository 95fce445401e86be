package dev.granary.memory;

/** What a chunk memory consists of. */
record Parts(
        int nid,
        long firstLid,
        Vmb vmb,
        Extents extents,
        CidTable table,
        Versions versions,
        FreshLids fresh,
        Stripes stripes) {

    /** Address of the root word. */
    private static final long ROOT = 0;

    /** Address of the counts of writes. */
    private static final long VERSIONS = 64;

    /** Address of the anchors of the stripes' free lists. */
    private static final long ANCHORS = VERSIONS + Versions.BYTES;

    /**
     * Reserves a VMB and lays it out.
     *
     * @throws ReservationException if the operating system refuses
     */
    static Parts make(ChunkMemoryConfig config, int stripeCount) {
        Vmb vmb = new Vmb(config.capacityBytes(), config.hugePages());
        Extents extents = new Extents(vmb, headerBytes(stripeCount));
        CidTable table = new CidTable(vmb, ROOT);
        FreshLids fresh = new FreshLids(config.firstLid());
        Stripe[] all = new Stripe[stripeCount];
        for (int i = 0; i < stripeCount; i++) {
            all[i] = new Stripe(vmb, table, fresh, new BlockArena(vmb, extents, i, headerBytes(i)));
        }
        Stripes stripes = new Stripes(all, config.capacityBytes(), fresh);
        Versions versions = new Versions(vmb, VERSIONS);
        return new Parts(config.nid(), config.firstLid(), vmb, extents, table, versions, fresh, stripes);
    }

    /** What the VMB's header takes for so many stripes. */
    static long headerBytes(int stripeCount) {
        return ANCHORS + (long) stripeCount * FreeLists.ANCHOR_BYTES;
    }
}
