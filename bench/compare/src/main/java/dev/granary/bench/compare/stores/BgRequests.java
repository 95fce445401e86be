package dev.granary.bench.compare.stores;

import java.util.Arrays;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import site.ycsb.generator.ZipfianGenerator;

/**
 * The actions of BG, in its mix with 1 % of changes (S. Barahmand and S. Ghandeharizadeh, BG: A Benchmark to Evaluate
 * Interactive Social Networking Actions, 2013; the file SymmetricLowUpdateActions). As there, no two threads change the
 * lists of a member at the same time, and each read of a list is checked: it is stale when a later version was
 * acknowledged before the read began.
 */
final class BgRequests implements Requests {

    /** How much more popular some members are than others, in BG's files. */
    private static final double POPULARITY = 0.27;

    /** Spreads neighbours in popularity over the members. It is prime. */
    private static final long SPREAD = 1_000_000_007L;

    private static final int LOCKS = 1 << 12;

    /** What is done, with its share of a thousand. */
    private enum Action {
        VIEW_PROFILE(400),
        LIST_FRIENDS(50),
        VIEW_REQUESTS(50),
        VIEW_RESOURCES(400),
        VIEW_COMMENTS(90),
        INVITE(4),
        ACCEPT(2),
        REJECT(2),
        THAW(2);

        private static final Action[] ALL = values();
        private final int share;

        Action(int share) {
            this.share = share;
        }

        private static Action draw(SplittableRandom random) {
            int left = random.nextInt(
                    Arrays.stream(ALL).mapToInt(each -> each.share).sum());
            for (Action action : ALL) {
                left -= action.share;
                if (left < 0) {
                    return action;
                }
            }
            throw new AssertionError("shares do not add up");
        }
    }

    private record Invitation(long inviter, long invitee) {}

    private final ObjectSet objects;
    private final int members;

    /** All threads share it, as in YCSB: its random numbers are the thread's own. */
    private final ZipfianGenerator popularity;

    private final Lock[] locks = new Lock[LOCKS];
    private final Queue<Invitation> open = new ConcurrentLinkedQueue<>();
    private final LongAdder stale = new LongAdder();

    /** The version of each list that was acknowledged last, at the number of its object. */
    private final AtomicLongArray acknowledged;

    /** @param objects which are loaded */
    BgRequests(ObjectSet objects, Members members) {
        this.objects = objects;
        this.members = members.count();
        this.popularity = new ZipfianGenerator(0, this.members - 1, POPULARITY);
        this.acknowledged = new AtomicLongArray(this.members * Members.OBJECTS);
        Arrays.setAll(locks, _ -> new ReentrantLock());
    }

    @Override
    public long staleReads() {
        return stale.sum();
    }

    @Override
    public Step begin(ComparedClient.Session session) {
        return new Actions(session);
    }

    private final class Actions implements Step {

        private final ComparedClient.Session session;
        private final SplittableRandom random = new SplittableRandom(System.nanoTime());

        private Actions(ComparedClient.Session session) {
            this.session = session;
        }

        @Override
        public int next() {
            switch (Action.draw(random)) {
                case VIEW_PROFILE -> {
                    long member = member();
                    var _ = read(member, Members.PROFILE);
                    var _ = list(member, Members.FRIENDS);
                }
                case LIST_FRIENDS -> profilesOf(list(member(), Members.FRIENDS));
                case VIEW_REQUESTS -> profilesOf(list(member(), Members.REQUESTS));
                case VIEW_RESOURCES -> {
                    var _ = read(member(), Members.RESOURCES);
                }
                case VIEW_COMMENTS -> {
                    var _ = read(member(), Members.COMMENTS);
                }
                case INVITE -> invite();
                case ACCEPT -> answer(true);
                case REJECT -> answer(false);
                case THAW -> thaw();
            }
            return 1;
        }

        private long member() {
            return popularity.nextValue() * SPREAD % members;
        }

        private byte[] read(long member, int what) {
            byte[] value = session.read(objects.key(Members.number(member, what)));
            if (value == null) {
                throw new IllegalStateException("object " + what + " of member " + member + " is missing");
            }
            return value;
        }

        private MemberList list(long member, int what) {
            long before = acknowledged.get((int) Members.number(member, what));
            MemberList list = MemberList.of(read(member, what));
            if (list.version() < before) {
                stale.increment();
            }
            return list;
        }

        /** Only the thread with the lock of the member calls it. */
        private void write(long member, int what, MemberList before, long[] after) {
            int number = (int) Members.number(member, what);
            long version = Math.max(acknowledged.get(number), before.version()) + 1;
            session.update(objects.key(number), new MemberList(version, after).toBytes());
            acknowledged.set(number, version);
        }

        private void profilesOf(MemberList list) {
            if (list.members().length == 0) {
                return;
            }
            long[] keys = Arrays.stream(list.members())
                    .map(member -> objects.key(Members.number(member, Members.PROFILE)))
                    .toArray();
            AtomicInteger found = new AtomicInteger();
            session.readAll(keys, _ -> found.incrementAndGet());
            if (found.get() != keys.length) {
                throw new IllegalStateException(found + " of " + keys.length + " profiles are there");
            }
        }

        private void invite() {
            long inviter = member();
            long invitee = member();
            if (inviter == invitee) {
                invitee = (invitee + 1) % members;
            }
            Invitation invitation = new Invitation(inviter, invitee);
            alone(invitation, () -> {
                MemberList requests = list(invitation.invitee, Members.REQUESTS);
                if (!requests.has(inviter)
                        && !list(invitation.invitee, Members.FRIENDS).has(inviter)) {
                    write(invitation.invitee, Members.REQUESTS, requests, requests.with(inviter));
                    open.add(invitation);
                }
            });
        }

        private void answer(boolean accepted) {
            Invitation invitation = open.poll();
            if (invitation == null) {
                invite();
                return;
            }
            alone(invitation, () -> {
                MemberList requests = list(invitation.invitee, Members.REQUESTS);
                write(invitation.invitee, Members.REQUESTS, requests, requests.without(invitation.inviter));
                if (accepted) {
                    add(invitation.inviter, invitation.invitee);
                    add(invitation.invitee, invitation.inviter);
                }
            });
        }

        private void add(long member, long friend) {
            MemberList friends = list(member, Members.FRIENDS);
            if (!friends.has(friend)) {
                write(member, Members.FRIENDS, friends, friends.with(friend));
            }
        }

        private void thaw() {
            long member = member();
            long[] friends = list(member, Members.FRIENDS).members();
            if (friends.length == 0) {
                return;
            }
            long friend = friends[random.nextInt(friends.length)];
            alone(new Invitation(member, friend), () -> {
                remove(member, friend);
                remove(friend, member);
            });
        }

        private void remove(long member, long friend) {
            MemberList friends = list(member, Members.FRIENDS);
            if (friends.has(friend)) {
                write(member, Members.FRIENDS, friends, friends.without(friend));
            }
        }

        private void alone(Invitation between, Runnable change) {
            int one = (int) (Math.min(between.inviter, between.invitee) % LOCKS);
            int other = (int) (Math.max(between.inviter, between.invitee) % LOCKS);
            Lock first = locks[Math.min(one, other)];
            Lock second = locks[Math.max(one, other)];
            first.lock();
            try {
                second.lock();
                try {
                    change.run();
                } finally {
                    second.unlock();
                }
            } finally {
                first.unlock();
            }
        }
    }
}
