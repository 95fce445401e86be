package dev.granary.bench.compare.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** {@link BgRequests} on a {@link FriendGraph} of {@link Members}. */
class BgRequestsTest {

    private static final int MEMBERS = 200;
    private static final int THREADS = 4;
    private static final int MOST_ROUNDS = 200;

    /** So many that lists have been changed hundreds of times. */
    private static final int ENOUGH = 100_000;

    private final Members members = new Members(FriendGraph.powerLaw(MEMBERS));
    private final ObjectSet objects = new ObjectSet(1, members);

    private CaseFigures run(MapClient client) throws Exception {
        objects.load(client.open(), MEMBERS * Members.OBJECTS);
        BgRequests requests = new BgRequests(objects, members);
        CaseRequest request = new CaseRequest("bg", false, MEMBERS, THREADS, 1, 200, 0);
        CaseFigures figures = new MeasuredLoop(client).run(request, requests);
        long operations = figures.operations();
        long stale = figures.staleReads();
        for (int round = 0; round < MOST_ROUNDS && operations < ENOUGH; round++) {
            figures = new MeasuredLoop(client).run(request, requests);
            operations += figures.operations();
            stale += figures.staleReads();
        }
        assertThat(figures.errors()).as(String.valueOf(figures.firstError())).isZero();
        assertThat(operations).isGreaterThanOrEqualTo(ENOUGH);
        assertThat(requests.staleReads()).isEqualTo(stale);
        return new CaseFigures(operations, 0, null, 0, 0, 0, 0, 0, 0, stale);
    }

    private MemberList list(MapClient client, int member, int what) {
        byte[] value = client.objects.get(objects.key(Members.number(member, what)));
        return MemberList.of(value == null ? new byte[0] : value);
    }

    @Test
    void powerLaw_manyMembers_fewHaveManyFriends() {
        FriendGraph graph = FriendGraph.powerLaw(2_000);
        int most = 0;
        long all = 0;
        for (int member = 0; member < graph.members(); member++) {
            int one = member;
            assertThat(graph.friends(member)).doesNotContain(member).doesNotHaveDuplicates();
            for (long friend : graph.friends(member)) {
                assertThat(graph.friends((int) friend)).contains(one);
            }
            most = Math.max(most, graph.friends(member).length);
            all += graph.friends(member).length;
        }
        assertThat(all / 2_000.0).isBetween(9.0, 10.0);
        assertThat(most).isGreaterThan(50);
    }

    @Test
    void next_manyThreads_friendshipGoesBothWaysAndNothingIsStale() throws Exception {
        MapClient client = new MapClient();
        assertThat(run(client).staleReads()).isZero();
        long changes = 0;
        for (int member = 0; member < MEMBERS; member++) {
            MemberList friends = list(client, member, Members.FRIENDS);
            assertThat(friends.members()).doesNotHaveDuplicates();
            for (long friend : friends.members()) {
                assertThat(list(client, (int) friend, Members.FRIENDS).has(member))
                        .as("%d and %d", member, friend)
                        .isTrue();
                assertThat(list(client, member, Members.REQUESTS).has(friend)).isFalse();
            }
            changes +=
                    friends.version() + list(client, member, Members.REQUESTS).version();
        }
        assertThat(changes).isGreaterThan(500);
    }

    /** A store that shows a change only when the next one of the same object comes. */
    private static final class LateClient extends MapClient {

        private final Map<Long, byte[]> late = new ConcurrentHashMap<>();

        @Override
        public Session open() {
            return new MapSession() {
                @Override
                public void update(long key, byte[] value) {
                    byte[] before = late.put(key, value);
                    if (before != null) {
                        super.update(key, before);
                    }
                }
            };
        }
    }

    @Test
    void next_storeThatShowsChangesLate_readsAreStale() throws Exception {
        assertThat(run(new LateClient()).staleReads()).isGreaterThan(100);
    }
}
