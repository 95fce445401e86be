package dev.granary.client;

import dev.granary.overlay.Nid;

/** Where new chunks go. */
public sealed interface Place {

    /**
     * Returns a place that leaves the choice to the client: it spreads chunks over the live storage peers and prefers
     * those with room.
     */
    static Place anywhere() {
        return Anywhere.INSTANCE;
    }

    /** Returns the place on the storage peer with this NID. */
    static Place on(int nid) {
        return new On(nid);
    }

    /**
     * Returns the place on the storage peer that owns this chunk, so that both chunks are found together. While that
     * peer is being drained, new chunks go to another one.
     */
    static Place near(long cid) {
        return new Near(cid);
    }

    /** See {@link Place#anywhere()}. */
    enum Anywhere implements Place {
        INSTANCE
    }

    /** See {@link Place#on(int)}. */
    record On(int nid) implements Place {
        public On {
            Nid.requireValid(nid);
        }
    }

    /** See {@link Place#near(long)}. */
    record Near(long cid) implements Place {}
}
