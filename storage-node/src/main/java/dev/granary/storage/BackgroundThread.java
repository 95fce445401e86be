package dev.granary.storage;

/** A thread for whose work nobody waits: it may put chunk memory together for as long as that takes (ADR 0203). */
final class BackgroundThread extends Thread {

    BackgroundThread(Runnable task, String name) {
        super(task, name);
    }
}
