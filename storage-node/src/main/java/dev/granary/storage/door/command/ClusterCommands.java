package dev.granary.storage.door.command;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.KeySlot;
import dev.granary.overlay.Nid;
import dev.granary.storage.door.command.Topology.Shard;
import dev.granary.storage.door.command.Topology.Slots;
import dev.granary.storage.door.state.DoorState;
import java.util.List;
import java.util.Map;

/** {@code CLUSTER}: storage peers with a door look like the masters of a Redis cluster without replicas. */
final class ClusterCommands {

    private ClusterCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("cluster|slots", aware(ClusterCommands::slots));
        commands.put("cluster|shards", aware(ClusterCommands::shards));
        commands.put("cluster|nodes", aware(ClusterCommands::nodes));
        commands.put("cluster|info", ClusterCommands::info);
        commands.put("cluster|keyslot", ClusterCommands::keySlot);
        commands.put("cluster|myid", ClusterCommands::myId);
        commands.put("cluster|myshardid", ClusterCommands::myId);
        commands.put("cluster|links", call -> call.reply().array(0));
        commands.put(
                "cluster|count-failure-reports",
                call -> ofNode(call, () -> call.reply().integer(0)));
        commands.put("cluster|replicas", call -> ofNode(call, () -> call.reply().array(0)));
        commands.put("cluster|slaves", call -> ofNode(call, () -> call.reply().array(0)));
        commands.put("cluster|help", ClusterCommands::help);
    }

    /** Who asks this follows redirections. */
    private static LocalCommand aware(LocalCommand command) {
        return call -> {
            call.door().aware().asked(call.client(), call.door().clock().nanoTime());
            command.answer(call);
        };
    }

    private static List<Shard> topology(LocalCall call) {
        return Topology.of(call.door().owners(), call.door().announced());
    }

    private static void slots(LocalCall call) {
        List<Shard> shards = topology(call);
        call.reply()
                .array(shards.stream().mapToInt(shard -> shard.slots().size()).sum());
        for (Shard shard : shards) {
            for (Slots run : shard.slots()) {
                call.reply().array(3);
                call.reply().integer(run.first());
                call.reply().integer(run.last());
                call.reply().array(4);
                call.reply().bulk(shard.address().host());
                call.reply().integer(shard.address().port());
                call.reply().bulk(Topology.id(shard.nid()));
                call.reply().array(0);
            }
        }
    }

    private static void shards(LocalCall call) {
        List<Shard> shards = topology(call);
        call.reply().array(shards.size());
        for (Shard shard : shards) {
            call.reply().map(2);
            call.reply().bulk("slots");
            call.reply().array(2 * shard.slots().size());
            for (Slots run : shard.slots()) {
                call.reply().integer(run.first());
                call.reply().integer(run.last());
            }
            call.reply().bulk("nodes");
            call.reply().array(1);
            call.reply().map(7);
            call.reply().bulk("id");
            call.reply().bulk(Topology.id(shard.nid()));
            call.reply().bulk("port");
            call.reply().integer(shard.address().port());
            call.reply().bulk("ip");
            call.reply().bulk(shard.address().host());
            call.reply().bulk("endpoint");
            call.reply().bulk(shard.address().host());
            call.reply().bulk("role");
            call.reply().bulk("master");
            call.reply().bulk("replication-offset");
            call.reply().integer(0);
            call.reply().bulk("health");
            call.reply().bulk("online");
        }
    }

    private static void nodes(LocalCall call) {
        StringBuilder text = new StringBuilder();
        for (Shard shard : topology(call)) {
            HostAddress address = shard.address();
            boolean myself = shard.nid() == call.door().owners().nid();
            // There is no port for gossip; clients want a number all the same.
            text.append(Topology.id(shard.nid()))
                    .append(' ')
                    .append(address.host())
                    .append(':')
                    .append(address.port())
                    .append('@')
                    .append(address.port())
                    .append(myself ? " myself,master - 0 0 0 connected" : " master - 0 0 0 connected");
            for (Slots run : shard.slots()) {
                text.append(' ').append(run.first()).append('-').append(run.last());
            }
            text.append('\n');
        }
        call.verbatim(text.toString());
    }

    private static void info(LocalCall call) {
        DoorState door = call.door();
        List<Shard> shards = topology(call);
        long withSlots =
                shards.stream().filter(shard -> !shard.slots().isEmpty()).count();
        call.verbatim("cluster_enabled:1\r\ncluster_state:"
                + (door.owners().nid() == Nid.NONE ? "fail" : "ok")
                + "\r\ncluster_slots_assigned:" + KeySlot.COUNT
                + "\r\ncluster_slots_ok:" + KeySlot.COUNT
                + "\r\ncluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:" + shards.size()
                + "\r\ncluster_size:" + withSlots
                + "\r\ncluster_current_epoch:0\r\ncluster_my_epoch:0\r\ncluster_stats_messages_sent:0\r\n"
                + "cluster_stats_messages_received:0\r\n");
    }

    private static void keySlot(LocalCall call) {
        byte[] key = new byte[call.request().length(2)];
        call.request().buffer().getBytes(call.request().start(2), key);
        call.reply().integer(KeySlot.of(key));
    }

    private static void myId(LocalCall call) {
        call.reply().bulk(Topology.id(call.door().owners().nid()));
    }

    private static void ofNode(LocalCall call, Runnable answer) {
        String id = call.text(2);
        if (topology(call).stream().anyMatch(shard -> Topology.id(shard.nid()).equals(id))) {
            answer.run();
        } else {
            call.reply().error("ERR Unknown node " + id);
        }
    }

    private static void help(LocalCall call) {
        call.help("""
                COUNT-FAILURE-REPORTS <node-id>
                    Return 0: storage peers do not report each other.
                COUNTKEYSINSLOT <slot>
                    Return the number of keys in <slot>.
                GETKEYSINSLOT <slot> <count>
                    Return key names in a slot, whoever owns it.
                INFO
                    Return information about the cluster.
                KEYSLOT <key>
                    Return the hash slot for <key>.
                LINKS
                    Return an empty list: there are no links between doors.
                MYID
                    Return the node id.
                MYSHARDID
                    Return the node's shard id, which is the node id.
                NODES
                    Return cluster configuration seen by node. Output format:
                    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ...
                REPLICAS <node-id>
                    Return an empty list: copies are not served from.
                SLOTS
                    Return information about slots range mappings. Each range is made of:
                    start, end, master IP address, port and id
                SHARDS
                    Return information about slot range mappings and the nodes associated with them.""");
    }
}
