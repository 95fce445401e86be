package dev.granary.log.backup;

/**
 * Something of a zone that was once durable and cannot be read. What else the zone has is intact.
 *
 * @param zone that lacks something
 * @param file the name of the file; empty if it is no single file
 * @param offset the first byte that cannot be read; 0 for a missing file
 * @param firstSequence the lowest sequence that may be missing
 * @param lastSequence the highest sequence that may be missing
 * @param what is wrong, for people
 */
public record Damage(int zone, String file, long offset, long firstSequence, long lastSequence, String what) {

    @Override
    public String toString() {
        String where = file.isEmpty() ? "" : ", file '" + file + "' at offset " + offset;
        return "zone " + ZoneHeader.hex(zone) + where + ": " + what + "; entries of sequences " + firstSequence + " to "
                + lastSequence + " may be missing";
    }
}
