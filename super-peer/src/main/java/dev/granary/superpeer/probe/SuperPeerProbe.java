package dev.granary.superpeer.probe;

import dev.granary.env.Probe;

/** Situations of a super-peer that runs of the simulator should reach. */
public enum SuperPeerProbe implements Probe {
    RECOVERY_ATTEMPT_ANEW("a zone that was being recovered got another epoch"),
    SEAL_ANSWER_LATE("a member answered that it is sealed when its zone was recovered already"),
    UNOPENED_ZONE_RECOVERED("a zone was recovered of which a member had never had a copy"),
    RECOVERY_WITHOUT_CANDIDATE("no storage peer could recover a zone at the moment"),
    RECOVERY_DECIDED("it was decided who recovers a zone"),
    RECOVERER_ENDED("who was to recover a zone ended while it did"),
    RECOVERY_REFUSED("who was to recover a zone could not"),
    RECOVERY_RESTARTED("the recovery of a zone began afresh"),
    MIGRATION_FAILED_AT_SOURCE("the source of a migration said that it has given it up"),
    STRANGER_FENCED("an arc heard that a storage peer of another arc has ended"),
    MIGRATION_TO_THE_OWNER("chunks were to move to the peer that has them"),
    OWNER_CHANGED_DURING_A_MIGRATION("source or target of a migration ended while it was open"),
    MIGRATION_DECIDED_TWICE("the end of a migration was asked for that had ended"),
    MIGRATION_NOT_NOW("a migration could not begin"),
    ZONE_WITHOUT_OWNER("the owner of a zone with copies ended"),
    ZONE_CLOSED("a zone without chunks was closed"),
    CHANGE_OF_COPIES_OUTDATED("a change of copies did not fit to the zone any more"),
    ENDED_MEMBER_MADE_ROOM("a zone that was full of members gave up one that had restarted"),
    RECOVERED_ZONE_OPENED("chunks were to be logged in a zone that was recovered"),
    MEMBER_STARTED_ANEW("a member of a zone had restarted"),
    MEMBER_LOST_ITS_COPY("an owner told that the only member of a zone had lost its copy"),
    MEMBER_LEAVING("a member of a zone was being drained"),
    LEAVING_MEMBER_MADE_ROOM("a full zone gave up a member that leaves, for the one in its place"),
    COPY_FILLED_ON_FORMER_MEMBER("a copy went to a member that had restarted, as there was no other peer"),
    LEASE_WAITS_FOR_THE_FORMER("a new incarnation waited for the lease of the one before"),
    PEER_IS_CHANGING("a request came while an incarnation was being admitted or declared dead"),
    PEER_REFUSED_AS_ENDED("an incarnation that has ended asked for a lease"),
    PEER_DECLARED_DEAD("a storage peer was declared dead"),
    SUPER_PEER_STOOD_STILL("a super-peer noticed that it had stood still"),
    LEASE_EXPIRED("a lease expired at a super-peer"),
    ARC_PART_HANDED_OVER("a part of an arc was dropped by who had handed it over"),
    ARC_PART_ACCEPTED("a part of an arc was accepted by its new super-peer"),
    ARC_SPLIT("a part of an arc was sealed to be handed over"),
    ARC_SPLIT_DURING_A_RECOVERY("a part of an arc was sealed while one of its zones was being recovered"),
    ARC_SPLIT_DURING_A_MIGRATION("a part of an arc was sealed while a migration was open"),
    COMMANDS_FULL("a change of a name or lock was refused as the share of commands under way was taken"),
    PART_OF_AN_UNKNOWN_OPERATION("a part was asked for by an operation that is not known to be under way"),
    LOCK_ASKED_FOR_AGAIN("who holds a lock asked for it again"),
    LOCK_WAITED_FOR("somebody waited for a lock"),
    LOCK_LEASE_ENDED("the lease of a lock ended and the lock was taken away"),
    LOCK_RENEWED_TOO_LATE("a lock was to be renewed that was gone"),
    OWNER_AWAITED("a client waited for another owner of its chunk"),
    OWNER_NEWS_TOLD("a client that waited heard of another owner"),
    REQUEST_FOR_A_MOVING_PART("a request came for a part of an arc that was just moving"),
    ARC_WITHOUT_LEADER("nobody answered for an arc at the moment"),
    REQUEST_REFERRED("a request was referred to the super-peer that leads its arc"),
    ARC_COPY_OPENED("a super-peer got a copy of an arc because the arc's leader wants it"),
    ARC_COPY_OPENED_AGAIN("a super-peer that had a copy of an arc began another one"),
    VOTER_ADDED("a group was to get one voter more"),
    VOTER_DROPPED("a group was to have one voter less"),
    LEADERSHIP_HANDED_BACK("who led in another's place handed the leadership back"),
    RING_LEADER_SILENT("no super-peer answered as the leader of the ring"),
    RING_LEADER_BACK("the leader of the ring answered again"),
    PLAN_MOVE_TRIED_AGAIN("a move of a plan was to be tried once more"),
    PLAN_ABORTED_WHILE_MOVING("a plan was aborted while chunks moved for it"),
    PLAN_WAITS_FOR_COPIES("a peer that is drained had no chunks left, but copies of others'");

    private final String description;

    SuperPeerProbe(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
