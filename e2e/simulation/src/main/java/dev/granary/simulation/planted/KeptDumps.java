package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Disk;
import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.MessageType;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A world in which the dump of a parked storage peer counts for ever. When a process ends, the disk forgets that the
 * dump was deleted, and the super-peers let the next process, which finds the dump, resume from it.
 */
final class KeptDumps {

    private static final Set<String> DUMP = Set.of("parked", "memory.dump");

    private KeptDumps() {}

    static Environment keeping(Environment world) {
        return new Environment(world.clock(), world.scheduler(), world.random(), new KeepingDisk(world.disk()));
    }

    static Transport resumingFromAny(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            private final Set<Long> withDump = new HashSet<>();

            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (is(frame, Frame.KIND_REQUEST, MessageType.OPEN_LEASE.code())
                        && MessageType.OPEN_LEASE.readRequest(payload(frame)).resumeDump() != 0) {
                    withDump.add(correlation(frame));
                }
                return true;
            }

            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.OPEN_LEASE.code())
                        || !withDump.remove(correlation(frame))) {
                    return true;
                }
                OpenLeaseReply reply = MessageType.OPEN_LEASE.readReply(payload(frame));
                OpenLeaseReply told = new OpenLeaseReply(
                        reply.leaseNanos(),
                        reply.epoch(),
                        reply.firstLid(),
                        reply.lidLimit(),
                        reply.wantedCopies(),
                        true,
                        reply.ranges());
                link.deliver(frame(Frame.KIND_REPLY, MessageType.OPEN_LEASE.code(), correlation(frame), told));
                return false;
            }
        });
    }

    /** A disk on which a deleted dump is there again for the next process. */
    private static final class KeepingDisk implements Disk {

        private final Disk disk;
        private final Set<String> hidden = new HashSet<>();

        KeepingDisk(Disk disk) {
            this.disk = disk;
        }

        @Override
        public List<String> list() throws IOException {
            return disk.list().stream().filter(name -> !hidden.contains(name)).toList();
        }

        @Override
        public boolean exists(String name) throws IOException {
            return !hidden.contains(name) && disk.exists(name);
        }

        @Override
        public byte[] read(String name) throws IOException {
            return disk.read(name);
        }

        @Override
        public void writeAtomically(String name, byte[] content) throws IOException {
            hidden.remove(name);
            disk.writeAtomically(name, content);
        }

        @Override
        public AppendFile openForAppend(String name) throws IOException {
            if (hidden.remove(name)) {
                disk.delete(name);
            }
            return disk.openForAppend(name);
        }

        @Override
        public void delete(String name) throws IOException {
            if (DUMP.contains(name) && disk.exists(name)) {
                hidden.add(name);
            } else {
                disk.delete(name);
            }
        }
    }
}
