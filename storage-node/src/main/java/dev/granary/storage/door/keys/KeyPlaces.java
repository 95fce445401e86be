package dev.granary.storage.door.keys;

import dev.granary.overlay.KeySlot;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.KeyPositions;
import java.util.Arrays;

/** Where the keys of a request are. One of these serves request after request, on one thread. */
public final class KeyPlaces {

    /** Instead of a slot or a slot group: the keys are in more than one. */
    public static final int SEVERAL = -1;

    private static final int FEW = 16;

    private final KeyPositions positions = new KeyPositions();
    private int[] groups = new int[FEW];
    private int slot;
    private int group;

    public KeyPlaces() {}

    /** Finds the keys of a request; false when it has none, or when nobody can say which they are. */
    public boolean find(Command command, Request request) {
        if (!positions.find(command, request) || positions.count() == 0) {
            return false;
        }
        if (groups.length < positions.count()) {
            groups = Arrays.copyOf(groups, Math.max(positions.count(), 2 * groups.length));
        }
        for (int i = 0; i < positions.count(); i++) {
            int slotOfKey = KeySlot.of(key(request, positions.position(i)));
            groups[i] = SlotGroup.ofSlot(slotOfKey);
            slot = i == 0 || slot == slotOfKey ? slotOfKey : SEVERAL;
            group = i == 0 || group == groups[i] ? groups[i] : SEVERAL;
        }
        return true;
    }

    /** Returns an argument that is a key. */
    static byte[] key(Request request, int argument) {
        byte[] key = new byte[request.length(argument)];
        request.buffer().getBytes(request.start(argument), key);
        return key;
    }

    /** Returns the slot of all keys, or {@link #SEVERAL}. */
    public int slot() {
        return slot;
    }

    /** Returns the slot group of all keys, or {@link #SEVERAL}. */
    public int group() {
        return group;
    }

    /** Returns how many keys there are. */
    int count() {
        return positions.count();
    }

    /** Returns which argument a key is. */
    int argument(int key) {
        return positions.position(key);
    }

    /** Returns the slot group of a key. */
    int groupOf(int key) {
        return groups[key];
    }
}
