package dev.granary.log.probe;

import dev.granary.env.Probe;

/** Situations of logs that runs of the simulator should reach. */
public enum LogProbe implements Probe {
    TAIL_CUT("the torn tail of a segment was cut"),
    PRIMARY_TAIL_CUT("the torn tail of a primary log was cut"),
    PRIMARY_RESTORED("batches of a primary log were pending again after a restart"),
    BATCH_AFTER_A_GAP("a batch came before the one in front of it"),
    BATCH_TWICE("a batch came a second time"),
    BATCH_FENCED("a batch came from an owner whose epoch is over"),
    LOG_CUT("batches that were not acknowledged were cut from a log"),
    PRIMARY_SORTED("a primary log was sorted into the segments of its zones"),
    LOG_FULL("a log found its disk full"),
    LOG_HAS_ROOM_AGAIN("a log found room on its disk again"),
    WRITE_BUFFER_OVERFULL("a batch was refused because too much waits for the disk"),
    SYNCS_TOGETHER("several operations were made durable by one sync"),
    CLEANER_WAITS("the cleaner waited until all members had what makes older entries dead"),
    ZONE_BEGUN_ANEW("a new generation of a copy replaced an older one"),
    DECIDED_COPY_IS_CONTINUOUS("a copy that was found on the disk has all that a recovery has decided"),
    SEGMENTS_CLEANED("segments were cleaned"),
    UNSYNCED_SEGMENT_DELETED("a segment was there of which nothing had been synced before the power failed"),
    RECORD_LOG_TAIL_CUT("the torn tail of a log of commands was cut");

    private final String description;

    LogProbe(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }
}
