package dev.granary.operator.control;

/** The steps that the operator asks of storage peers when their cluster hibernates or is to work again. */
public enum SleepStep {
    /** Refuse changes, and bring earlier changes to all backups. */
    REFUSE_CHANGES,
    /** Write the memory to the disk and be parked. */
    PARK,
    /** Take changes again. */
    WORK
}
