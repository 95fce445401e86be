package dev.granary.superpeer.state.name;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcPart;
import dev.granary.superpeer.state.ArcResult;
import io.netty.buffer.ByteBuf;

/** The part of an arc that applications see: names of chunks, and locks of chunks. */
public final class NamePart implements ArcPart {

    static final int ID = 3;

    private final NameState names = new NameState();
    private final LockState locks = new LockState();

    /** The names of the arc. */
    public NameState names() {
        return names;
    }

    /** The locks of the arc. */
    public LockState locks() {
        return locks;
    }

    @Override
    public int id() {
        return ID;
    }

    @Override
    public ArcCommand readCommand(int type, ByteBuf in) {
        return NameCommand.TYPES.all().containsKey(type)
                ? RecordBytes.read(NameCommand.TYPES, type, in)
                : RecordBytes.read(LockCommand.TYPES, type, in);
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        return switch (command) {
            case NameCommand name -> names.apply(name);
            case LockCommand lock -> locks.apply(lock);
            default -> throw new IllegalArgumentException("not a command of names and locks: " + command);
        };
    }

    @Override
    public void write(Arc within, ByteBuf out) {
        names.write(within, out);
        locks.write(within, out);
    }

    @Override
    public void read(ByteBuf in) {
        names.read(in);
        locks.read(in);
    }

    @Override
    public void remove(Arc within) {
        names.remove(within);
        locks.remove(within);
    }
}
