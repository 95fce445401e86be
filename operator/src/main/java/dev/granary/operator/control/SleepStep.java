package dev.granary.operator.control;

/** What storage peers are asked for when their cluster goes to sleep, or is to work again after all. */
public enum SleepStep {
    /** Refuse changes, and bring what was taken to all backups. */
    REFUSE_CHANGES,
    /** Write the memory to the disk and be parked. */
    PARK,
    /** Take changes again. */
    WORK
}
