package dev.granary.memory.lock;

import org.jspecify.annotations.Nullable;

/**
 * Waiters in the order in which they came: a doubly linked list, because any of them may give up, and thousands may at
 * the same time. Not thread-safe.
 */
public final class LockWaiters {

    private @Nullable LockWaiter first;
    private @Nullable LockWaiter last;
    private int size;

    @Nullable
    public LockWaiter first() {
        return first;
    }

    public boolean isEmpty() {
        return first == null;
    }

    public int size() {
        return size;
    }

    public void add(LockWaiter waiter) {
        waiter.previous = last;
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
        size++;
    }

    /** Takes out a waiter that is in the list. */
    public void remove(LockWaiter waiter) {
        LockWaiter before = waiter.previous;
        LockWaiter after = waiter.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        waiter.previous = null;
        waiter.next = null;
        size--;
    }
}
