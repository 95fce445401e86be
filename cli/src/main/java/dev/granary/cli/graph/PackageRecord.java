package dev.granary.cli.graph;

/**
 * One line of the snapshot: a package and what its maintainers say of others. The relation fields are as in the
 * archive; {@link Relation#parseField} reads them.
 *
 * @param installedKiB size when installed in KiB, 0 where the archive does not say
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

    /** The field that edges of this kind are made from. */
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
