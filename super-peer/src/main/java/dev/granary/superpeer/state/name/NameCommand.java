package dev.granary.superpeer.state.name;

import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.overlay.Cid;
import dev.granary.overlay.name.NamePosition;
import dev.granary.schema.Code;
import dev.granary.schema.RecordTypes;
import dev.granary.superpeer.state.ArcCommand;

/**
 * A change of one name.
 *
 * @param clientId of the request id
 * @param sequence of the request id; a client counts all its changes of names
 * @param ackedSequence the client does not need the answers up to this request sequence any more
 * @param repeated whether the request was sent before
 * @param name 1 to 1024 bytes of UTF-8
 * @param cid what the name is to stand for, {@link Cid#NONE} to remove it
 * @param condition under which the name is changed
 * @param expectedCid what the name must stand for under {@link NameCondition#IF_EXPECTED}
 */
@Code(48)
public record NameCommand(
        long clientId,
        long sequence,
        long ackedSequence,
        boolean repeated,
        String name,
        long cid,
        NameCondition condition,
        long expectedCid)
        implements ArcCommand {

    static final RecordTypes<NameCommand> TYPES = RecordTypes.of("arc command", NameCommand.class);

    @Override
    public int type() {
        return TYPES.codeOf(this);
    }

    @Override
    public boolean isOfAClient() {
        return true;
    }

    @Override
    public int position() {
        return NamePosition.of(name);
    }
}
