package dev.granary.superpeer.state;

import dev.granary.schema.U16;

/**
 * A storage peer that holds or is to hold a copy of a zone.
 *
 * @param nid its NID
 * @param epoch of its incarnation; a later incarnation no longer has in memory what this one acknowledged
 */
public record ZoneMember(@U16 int nid, long epoch) {}
