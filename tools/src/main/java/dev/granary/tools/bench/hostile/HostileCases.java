package dev.granary.tools.bench.hostile;

import java.util.List;

/** The names of the hostile clients. */
public final class HostileCases {

    /** In the order in which they are measured. */
    public static final List<String> NAMES = Attacks.NAMES;

    private HostileCases() {}
}
