package dev.granary.superpeer.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.state.ring.RingEvent;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StatusJsonTest {

    private static final String PLAN = "'memoryPlan':{'direct':{'limitBytes':1073741824,'shares':{"
            + "'inbound-frames':{'limitBytes':268435456,'usedBytes':5},'outbound-frames':{'limitBytes':268435456}},"
            + "'plannedBytes':536870912},'heap':{'limitBytes':4294967296,'shares':{"
            + "'owner-waiters':{'limitBytes':16777216},'lock-waiters':{'limitBytes':67108864},"
            + "'commands':{'limitBytes':67108864},'raft-messages':{'limitBytes':67108864},'arc-state':{'limitBytes':1447034880},"
            + "'arc-parts':{'limitBytes':482344960}},'plannedBytes':2147483648}}";

    private static final UUID CLUSTER = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");

    private static final ZoneStatus ZONES = new ZoneStatus(
            6,
            1,
            2,
            3,
            4,
            List.of(new ZoneStatus.Recovery(BackupZone.id(0x4000, 3), 5, 0, List.of(0x8000, 0xC000), 6, 7, 8, "waits")),
            List.of(new ZoneStatus.Holding(0x4000, 1, 2, 3)),
            List.of(
                    hot(0x4000, BackupZone.id(0x8000, 2), 0x8000, 9),
                    hot(0x8000, BackupZone.id(SlotGroup.nid(2), 1), SlotGroup.nid(2), 80),
                    hot(0x8000, 0, 0x8000, 7)));

    private static ZoneStatus.OwnedRange hot(int owner, int zone, int creator, long perSecond) {
        return new ZoneStatus.OwnedRange(
                owner, new HotRange(zone, Cid.of(creator, 1), Cid.of(creator, 255), perSecond));
    }

    private static SuperPeerRecord superPeer(int nid, String name, int generation) {
        return new SuperPeerRecord(
                nid, new UUID(0, nid), name, new HostAddress(name, 7400), new HostAddress(name, 7401), generation);
    }

    private static PeerInfo peer(int nid, String name, boolean live, long chunks) {
        return new PeerInfo(
                nid,
                name,
                new HostAddress(name, 7500),
                new HostAddress(name, 7501),
                live,
                live ? 1_500_000_000L : 0,
                2,
                1_048_577,
                1,
                live ? PeerInfo.Drain.NONE : PeerInfo.Drain.DONE,
                live ? 7 : 0,
                new PeerStatistics(chunks, chunks * 10, chunks * 3, chunks * 13, 1000, 4, 5),
                1,
                "m",
                "",
                false,
                live ? new HostAddress(name, 6379) : null);
    }

    @Test
    void write_ringWithUnreachableMember_exactText() {
        RingView view = new RingView(
                9,
                CLUSTER,
                7,
                2,
                true,
                true,
                List.of(superPeer(0x0001, "a", 1), superPeer(0x4001, "c", 0), superPeer(0x8001, "b", 2)),
                new RingOperation(5, RingOperation.Kind.PROMOTE, 0x4001, 9),
                List.of(
                        new RingEvent(1, 1_000, RingEvent.Kind.RESIZED, 0),
                        new RingEvent(2, 1_500, RingEvent.Kind.PROMOTION_BEGAN, 0x4001)));
        StatusJson.Seen seen = new StatusJson.Seen(
                0x0001,
                Set.of(0x0001, 0x4001),
                Map.of(0x8001, 0x0001),
                Map.of(0, List.of(0x0001), 0x0001, List.of(0x0001), 0x8001, List.of(0x0001, 0x4001)),
                List.of(ZONES));
        String json = StatusJson.write(
                "1.2.3",
                view,
                seen,
                List.of(peer(0x8000, "y", false, 5), peer(0x4000, "x", true, 2)),
                SuperPeerMemory.ample(),
                Map.of("inbound-frames", 5L));
        assertThat(json)
                .isEqualTo(("{'clusterId':'01234567-89ab-4def-8123-456789abcdef','version':'1.2.3',"
                                + "'ring':{'epoch':7,'size':2,'expectedSize':2,'complete':true,"
                                + "'recommendedSize':1,'votersKnown':true,'superPeers':["
                                + "{'nid':'0x0001','name':'a','address':'a:7400','httpAddress':'a:7401',"
                                + "'reachable':true,'votes':3,'leader':true,'arcServedBy':''},"
                                + "{'nid':'0x8001','name':'b','address':'b:7400','httpAddress':'b:7401',"
                                + "'reachable':false,'votes':0,'leader':false,'arcServedBy':'0x0001'}],'candidates':["
                                + "{'nid':'0x4001','name':'c','address':'c:7400','httpAddress':'c:7401','reachable':true,'votes':1}],"
                                + "'operation':{'kind':'promote','nid':'0x4001'},'events':["
                                + "{'time':'1970-01-01T00:00:01Z','kind':'resized','nid':''},"
                                + "{'time':'1970-01-01T00:00:01.500Z','kind':'promotion-began','nid':'0x4001'}]},"
                                + "'storagePeers':["
                                + "{'nid':'0x4000','name':'x','address':'x:7500','httpAddress':'x:7501','redisAddress':'x:6379',"
                                + "'state':'live','leaseRemainingMillis':1500,'epoch':2,'chunks':2,'payloadBytes':20,"
                                + "'bookkeepingBytes':6,'usedBytes':26,'capacityBytes':1000,'lostLidsBelow':1048577,'drain':'none','usesPerSecond':7,"
                                + "'zones':2,'copies':3,'copiesOnDisk':4,'logBytes':5,'machine':'m','failureZone':''},"
                                + "{'nid':'0x8000','name':'y','address':'y:7500','httpAddress':'y:7501',"
                                + "'state':'expired','leaseRemainingMillis':0,'epoch':2,'chunks':5,'payloadBytes':50,"
                                + "'bookkeepingBytes':15,'usedBytes':65,'capacityBytes':1000,'lostLidsBelow':1048577,'drain':'done','usesPerSecond':0,"
                                + "'zones':0,'copies':0,'copiesOnDisk':4,'logBytes':5,'machine':'m','failureZone':''}],"
                                + "'zones':{'inSync':6,'degraded':1,'recovering':2,'lost':3,'recovered':4,'recoveries':[{'zone':'0x4000/3','epoch':5,'candidate':'','waitingFor':'0x8000"
                                + " 0xc000','chunks':6,'bytes':7,'ageMillis':8,'note':'waits'}]},"
                                + "'hotRanges':["
                                + "{'zone':'0xbffe/1','slots':'128-191','from':'0xbffe000000000001','to':'0xbffe0000000000ff','owner':'0x8000','perSecond':80},"
                                + "{'zone':'0x8000/2','slots':'','from':'0x8000000000000001','to':'0x80000000000000ff','owner':'0x4000','perSecond':9},"
                                + "{'zone':'','slots':'','from':'0x8000000000000001','to':'0x80000000000000ff','owner':'0x8000','perSecond':7}],"
                                + "'totals':{'superPeers':2,'storagePeers':2,'livePeers':1,'ranges':2,'chunks':2,"
                                + "'payloadBytes':20,'bookkeepingBytes':6,'usedBytes':26,'capacityBytes':1000}," + PLAN
                                + "}")
                        .replace('\'', '"'));
    }

    @Test
    void write_noRing_sameShape() {
        assertThat(StatusJson.write(
                        "1.2.3",
                        null,
                        new StatusJson.Seen(0, Set.of(), Map.of(), Map.of(), List.of()),
                        List.of(),
                        SuperPeerMemory.ample(),
                        Map.of("inbound-frames", 5L)))
                .isEqualTo(("{'clusterId':'','version':'1.2.3',"
                                + "'ring':{'epoch':0,'size':0,'expectedSize':0,'complete':false,'recommendedSize':0,'votersKnown':false,'superPeers':[],'candidates':[],'operation':{},'events':[]},"
                                + "'storagePeers':[],"
                                + "'zones':{'inSync':0,'degraded':0,'recovering':0,'lost':0,'recovered':0,'recoveries':[]},'hotRanges':[],"
                                + "'totals':{'superPeers':0,'storagePeers':0,'livePeers':0,'ranges':0,'chunks':0,"
                                + "'payloadBytes':0,'bookkeepingBytes':0,'usedBytes':0,'capacityBytes':0}," + PLAN
                                + "}")
                        .replace('\'', '"'));
    }
}
