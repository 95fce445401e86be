package dev.granary.storage.door.command;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.SlotOwners.Door;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which door has which slots, as clients are told. All slots have one, always: a slot group without an owner, or whose
 * owner has no known door, is announced at a door that all doors choose in the same way from those that they know. A
 * client that goes there is served, since every door serves every key.
 */
final class Topology {

    /** A run of slots, both ends included. */
    record Slots(int first, int last) {}

    /** A door and its slots, which may be none. */
    record Shard(int nid, HostAddress address, List<Slots> slots) {

        Shard {
            slots = List.copyOf(slots);
        }
    }

    private static final int ID_DIGITS = 40;
    private static final int NID_DIGITS = 4;

    private Topology() {}

    /** Returns the shards by their NIDs, ascending. */
    static List<Shard> of(SlotOwners owners, HostAddress announced) {
        Map<Integer, HostAddress> doors = new TreeMap<>();
        // This door may not have told others of itself yet, and before it has a NID it cannot.
        doors.put(owners.nid(), announced);
        for (Door door : owners.doors()) {
            doors.put(door.nid(), door.address());
        }
        if (doors.size() > 1) {
            doors.remove(Nid.NONE);
        }
        Map<Integer, List<Slots>> slots = new TreeMap<>();
        doors.keySet().forEach(nid -> slots.put(nid, new ArrayList<>()));
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            int owner = owners.owner(group);
            int nid = owner != Nid.NONE && doors.containsKey(owner) ? owner : choice(group, doors);
            append(slots.getOrDefault(nid, new ArrayList<>()), group);
        }
        List<Shard> shards = new ArrayList<>();
        doors.forEach((nid, address) -> shards.add(new Shard(nid, address, slots.getOrDefault(nid, List.of()))));
        return shards;
    }

    private static void append(List<Slots> slots, int group) {
        int first = SlotGroup.firstSlot(group);
        int last = first + SlotGroup.SLOTS - 1;
        if (!slots.isEmpty() && slots.getLast().last + 1 == first) {
            slots.set(slots.size() - 1, new Slots(slots.getLast().first, last));
        } else {
            slots.add(new Slots(first, last));
        }
    }

    /** The door with the highest weight for the group: when a door comes or goes, few groups get another one. */
    private static int choice(int group, Map<Integer, HostAddress> doors) {
        int best = Nid.NONE;
        long bestWeight = Long.MIN_VALUE;
        for (int nid : doors.keySet()) {
            long weight = mix((long) group << Integer.SIZE | nid);
            if (weight > bestWeight) {
                bestWeight = weight;
                best = nid;
            }
        }
        return best;
    }

    /** The finisher of SplitMix64: numbers beside each other get weights that have nothing in common. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    /** Returns the id of a node for clients, who expect 40 hexadecimal digits: zeros, and its NID. */
    static String id(int nid) {
        return "0".repeat(ID_DIGITS - NID_DIGITS) + Nid.toHex(nid).substring(2);
    }
}
