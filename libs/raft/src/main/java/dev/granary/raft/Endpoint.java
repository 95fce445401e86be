package dev.granary.raft;

import io.microraft.RaftEndpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A member as the library sees it. */
record Endpoint(MemberId member) implements RaftEndpoint {

    static MemberId memberOf(RaftEndpoint endpoint) {
        return ((Endpoint) endpoint).member;
    }

    static List<MemberId> membersOf(Collection<RaftEndpoint> endpoints) {
        List<MemberId> members = new ArrayList<>();
        endpoints.forEach(endpoint -> members.add(memberOf(endpoint)));
        return members;
    }

    static List<RaftEndpoint> of(Collection<MemberId> members) {
        List<RaftEndpoint> endpoints = new ArrayList<>();
        members.forEach(member -> endpoints.add(new Endpoint(member)));
        return endpoints;
    }

    @Override
    public Object getId() {
        return member;
    }

    @Override
    public int hashCode() {
        return member.hashCode();
    }
}
