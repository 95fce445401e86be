package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;

/** Storage peers that have no room for a zone, and report that they are still recovering it. */
final class SilentRecoverers {

    private SilentRecoverers() {}

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.RUN_RECOVERY.code())) {
                    return true;
                }
                RunRecoveryReply reply = MessageType.RUN_RECOVERY.readReply(payload(frame));
                RunRecoveryReply told = new RunRecoveryReply(
                        reply.zones().stream().map(SilentRecoverers::withRoom).toList());
                link.send(frame(Frame.KIND_REPLY, MessageType.RUN_RECOVERY.code(), correlation(frame), told));
                return false;
            }
        });
    }

    private static RunRecoveryReply.Progress withRoom(RunRecoveryReply.Progress zone) {
        return zone.state() == State.NO_ROOM
                ? new RunRecoveryReply.Progress(zone.zone(), zone.epoch(), State.RUNNING, 0, 0, "")
                : zone;
    }
}
