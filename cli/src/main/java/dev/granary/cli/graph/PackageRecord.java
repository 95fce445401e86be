package dev.granary.cli.graph;

/**
 * One line of the snapshot: a package and its relations to others. The relation fields are those of the archive;
 * {@link Relation#parseField} reads them.
 *
 * @param installedKiB size when installed in KiB, 0 where the archive has none
 */
record PackageRecord(
        String name,
        String version,
        String section,
        String priority,
        long installedKiB,
        String preDepends,
        String depends,
        String recommends,
        String suggests,
        String conflicts,
        String breaks,
        String provides) {

    /** The field from which edges of this kind are made. */
    String field(EdgeKind kind) {
        return switch (kind) {
            case PRE_DEPENDS -> preDepends;
            case DEPENDS -> depends;
            case RECOMMENDS -> recommends;
            case SUGGESTS -> suggests;
            case CONFLICTS -> conflicts;
            case BREAKS -> breaks;
        };
    }
}
