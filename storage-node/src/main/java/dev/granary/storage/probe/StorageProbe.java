package dev.granary.storage.probe;

import dev.granary.env.Probe;

/** Situations of a storage peer that runs of the simulator should reach. */
public enum StorageProbe implements Probe {
    WRITE_BELOW_FLOOR("a change was refused because its zone had too few backups"),
    ANSWER_HELD("an answer was held until backups had the change"),
    ANSWER_HELD_FOR_SYNC("an answer was held until backups had synced the change"),
    HELD_ANSWERS_RELEASED("backups had what answers were held for, and they went out"),
    HELD_ANSWERS_FAILED("a zone ended while answers were held in it"),
    READ_HELD("a read waited for a change that not all backups had"),
    MEMBER_CUT_TO_THE_OTHERS("a backup was told to cut changes that the other backups do not have"),
    MEMBER_DROPPED("the arc dropped a backup of a zone"),
    SILENT_MEMBER_KEPT("a silent backup stayed a member, as too few would be left without it"),
    ZONE_CLOSED_BY_ARC("the arc had closed a zone without chunks that its owner asked about"),
    OPENING_FENCED("a backup knew a later epoch than the owner that opened its copy"),
    MEMBER_LOST_CHANGES("a backup turned out to lack changes when its copy was opened again"),
    BACKUP_WITHOUT_ADDRESS("a copy was to be opened on a backup whose address was not known"),
    OPENING_WITHOUT_A_LEASE("a backup without a lease refused to open copies"),
    LATE_OPENING_IGNORED("a late answer to the opening of a copy was ignored"),
    LATE_REPLICATION_ANSWER("a backup answered for a copy that was opened again since"),
    BACKUP_BUSY("a backup asked for a pause"),
    OWNER_FENCED("a backup refused the changes of an owner whose epoch is over"),
    BACKUP_TIMED_OUT("a backup was silent for too long while changes waited for it"),
    REPLICATION_REWOUND("changes were sent once more from where a backup was"),
    FILL_BEGUN("the filling of a new copy began"),
    FILL_FINISHED("a new copy had all that was acknowledged, and was to become a member"),
    FILL_GIVEN_UP("the filling of a copy was given up"),
    FILL_STEP_SENT_AGAIN("a step of a filling was sent once more"),
    SHIPMENT_WAITED_FOR_ROOM("changes waited until others on their way to backups had arrived"),
    SHIPMENT_UNANSWERED("changes were sent and no answer came"),
    BACK_PRESSURE("changes were refused because backups do not keep up"),
    RECOVERY_BEGUN("a storage peer began to recover a zone"),
    OWN_COPY_DAMAGED("the peer that recovers a zone found its own copy damaged or not whole"),
    COPY_FETCHED("a zone was recovered from the copy of another member"),
    RECOVERY_WITHOUT_A_MEMBER("a recovery went on without the answer of a member that was to cut its tail"),
    ZONE_RECOVERED("a storage peer served a zone that it had recovered"),
    MIGRATION_HOLDS_CHANGES("changes of chunks that move began to wait"),
    MIGRATION_GIVEN_UP("the source of a migration gave it up"),
    MIGRATION_ABORTED_BY_ARC("the source of a migration heard that the arc has aborted it"),
    MIGRATION_STEP_SENT_AGAIN("a step of a migration was sent once more"),
    MIGRATION_STEP_WITHOUT_ROOM("a step of a migration was refused because backups do not keep up"),
    CHUNKS_LEFT("chunks left a storage peer"),
    MIGRATION_STEP_TWICE("a step of a migration came a second time"),
    MIGRATION_SEALED("the last step of a migration came"),
    CHUNKS_ARRIVED("a storage peer owned chunks that came from another"),
    CHUNKS_DROPPED_AT_TARGET("a migration was aborted and its target dropped what had come"),
    MIGRATION_ASKED_OF_ARC("the target of a migration heard nothing more and asked the arc"),
    CHUNKS_CAME_TO_A_USED_ZONE("chunks came to a zone that had held others before"),
    REQUEST_PARKED("a request was put aside while its chunks move"),
    PARKED_REQUEST_HANDLED("a request that was put aside was handled again"),
    REQUEST_REPEATED("a request came again and had its former answer"),
    IDLE_COPY_LOST("a backup had lost a copy in which nothing changed"),
    REQUEST_HALF_DONE("a request came of which a former owner had carried out a part"),
    COMPLETION_LEARNT("the outcome of a request came with chunks from a former owner"),
    CREATE_WHILE_DRAINING("a create was refused because everything leaves the peer"),
    LIDS_EXHAUSTED("a create found no LIDs left"),
    CREATE_FOR_A_FORMER_INCARNATION("a create came that was meant for a former incarnation"),
    LEASE_ENDED_IN_A_READ("a lease ended between a read and its answer"),
    LEASE_ENDED_IN_A_CHANGE("a lease ended between a change and its answer"),
    REQUEST_WITHOUT_LEASE("a request came while there was no lease"),
    NEW_OWNER_TOLD("an answer said which peer has chunks that had moved"),
    LEASE_TAKEN("a storage peer got a lease and served"),
    LEASE_LAPSED("a lease ended without a renewal"),
    LEASE_UNKNOWN("a super-peer did not know a lease that was to be renewed"),
    LEASE_RENEWED_ELSEWHERE("a lease was renewed at another super-peer than the first"),
    LEASE_RENEWAL_REPEATED("the renewal of a lease failed and was tried again"),
    LIDS_RESERVED("LIDs were reserved"),
    LIDS_NOT_RESERVED("LIDs could not be reserved and were asked for again"),
    PARKED_MEMORY_SERVED("a storage peer went on where it was parked"),
    BACKUP_LOG_REPLACED("the log of a backup failed and another one took its place"),
    SLOT_GROUP_OPENED("a storage peer got a slot group that nobody had"),
    SLOT_GROUP_RECOVERED("a storage peer served a slot group that it had recovered"),
    SLOT_GROUP_ARRIVED("a storage peer owned a slot group that came from another"),
    SLOT_GROUP_DROPPED("a storage peer dropped what it knew of a slot group that it owned no more"),
    KEYS_FOUND("an owner had found the keys of a slot group in its chunks"),
    CALL_WHILE_KEYS_ARE_FOUND("a call waited because the keys of its slot group were being found"),
    CALL_WHILE_GROUP_MOVES("a call waited because its slot group was on its way to another storage peer"),
    GROUP_CALL_FORWARDED("a call was sent to the owner of its slot group"),
    GROUP_CALL_TO_A_FORMER_OWNER("a call came to a storage peer that does not own its slot group"),
    GROUP_CALL_UNKNOWN("nobody knows whether a call was carried out that had been sent to an owner"),
    GROUP_CHANGE_UNKNOWN("an owner does not know whether its change of keys stays"),
    KEY_HELD("a call that changes nothing waited for a change of a key that not all backups had"),
    WATCH_BROKEN("a transaction was not carried out because a watched key had changed"),
    KEYS_FULL("a change of a key was refused for want of room"),
    EXPIRED_KEY_REMOVED("a key that had expired was removed although nobody asked for it");

    private final String description;

    StorageProbe(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
