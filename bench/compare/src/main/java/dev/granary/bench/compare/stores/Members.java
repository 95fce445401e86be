package dev.granary.bench.compare.stores;

import java.util.SplittableRandom;

/** The objects of a social network as BG has it, at the beginning: {@value #OBJECTS} for each member. Immutable. */
final class Members implements ObjectSet.Content {

    /** Objects of a member. The number of one is that of the member times this, and what it is. */
    static final int OBJECTS = 5;

    static final int PROFILE = 0;
    static final int FRIENDS = 1;
    static final int REQUESTS = 2;

    /** Its newest five resources, in one object. */
    static final int RESOURCES = 3;

    /** Comments on these. */
    static final int COMMENTS = 4;

    private static final int PROFILE_BYTES = 200;
    private static final int TEXT_BYTES = 500;

    private final FriendGraph graph;

    Members(FriendGraph graph) {
        this.graph = graph;
    }

    /** The number of members. */
    int count() {
        return graph.members();
    }

    static long number(long member, int what) {
        return member * OBJECTS + what;
    }

    @Override
    public int sizeOf(long number) {
        return switch ((int) (number % OBJECTS)) {
            case PROFILE -> PROFILE_BYTES;
            case FRIENDS -> MemberList.bytes(friends(number).length);
            case REQUESTS -> MemberList.bytes(0);
            default -> TEXT_BYTES;
        };
    }

    @Override
    public byte[] first(long number, SplittableRandom random) {
        return switch ((int) (number % OBJECTS)) {
            case FRIENDS -> new MemberList(0, friends(number)).toBytes();
            case REQUESTS -> new MemberList(0, new long[0]).toBytes();
            default -> ObjectSet.Content.super.first(number, random);
        };
    }

    /** Objects behind those of the last member belong to nobody. */
    private long[] friends(long number) {
        int member = (int) (number / OBJECTS);
        return member < graph.members() ? graph.friends(member) : new long[0];
    }
}
