package dev.granary.operator.control;

/** The steps for which storage peers are asked when their cluster hibernates, or is to work again after all. */
public enum SleepStep {
    /** Refuse changes, and bring earlier changes to all backups. */
    REFUSE_CHANGES,
    /** Write the memory to the disk and be parked. */
    PARK,
    /** Take changes again. */
    WORK
}
