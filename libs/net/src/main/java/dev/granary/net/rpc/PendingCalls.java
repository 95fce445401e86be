package dev.granary.net.rpc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one link that wait for replies: a table whose place is part of the correlation, so that a reply finds
 * its call without hashing.
 *
 * <pre>
 *   63                          20 19              0
 *  +------------------------------+-----------------+
 *  |  serial, counted from 1      |     place       |
 *  +------------------------------+-----------------+
 * </pre>
 *
 * <p>The serial distinguishes a late reply from the reply to the call that has the place now. Not thread-safe: guarded
 * by the link's lock.
 */
final class PendingCalls {

    private static final int PLACE_BITS = 20;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
    private static final int INITIAL_PLACES = 16;

    private @Nullable PendingCall<?>[] places = new PendingCall<?>[INITIAL_PLACES];
    private int[] freePlaces = new int[INITIAL_PLACES];
    private int freeCount;
    private long nextSerial = 1;
    private long earliestDeadlineNanos;

    PendingCalls() {
        addFree(0);
    }

    int size() {
        return places.length - freeCount;
    }

    /** Returns whether there is a place for another call. */
    boolean hasRoom() {
        return freeCount > 0 || places.length <= PLACE_MASK;
    }

    /** Gives a call its place and correlation. */
    void add(PendingCall<?> call) {
        if (freeCount == 0) {
            int grown = places.length;
            places = Arrays.copyOf(places, 2 * grown);
            freePlaces = new int[2 * grown];
            addFree(grown);
        }
        if (size() == 0 || call.deadlineNanos - earliestDeadlineNanos < 0) {
            earliestDeadlineNanos = call.deadlineNanos;
        }
        int place = freePlaces[--freeCount];
        places[place] = call;
        call.correlation = nextSerial++ << PLACE_BITS | place;
    }

    /** Removes and returns the call that a reply belongs to; null when that call does not wait any more. */
    @Nullable
    PendingCall<?> take(long correlation) {
        int place = (int) (correlation & PLACE_MASK);
        if (place >= places.length) {
            return null;
        }
        PendingCall<?> call = places[place];
        if (call == null || call.correlation != correlation) {
            return null;
        }
        free(place);
        return call;
    }

    /** Returns whether the deadline of some call may have passed. */
    boolean mayExpire(long nowNanos) {
        return size() > 0 && earliestDeadlineNanos - nowNanos <= 0;
    }

    /** Removes and returns the calls whose deadline has passed. */
    List<PendingCall<?>> takeExpired(long nowNanos) {
        if (!mayExpire(nowNanos)) {
            return List.of();
        }
        List<PendingCall<?>> expired = new ArrayList<>();
        long earliestDelayNanos = Long.MAX_VALUE;
        for (int place = 0; place < places.length; place++) {
            PendingCall<?> call = places[place];
            if (call == null) {
                continue;
            }
            long delayNanos = call.deadlineNanos - nowNanos;
            if (delayNanos <= 0) {
                free(place);
                expired.add(call);
            } else {
                earliestDelayNanos = Math.min(earliestDelayNanos, delayNanos);
            }
        }
        earliestDeadlineNanos = nowNanos + earliestDelayNanos;
        return expired;
    }

    /** Removes and returns all calls. */
    List<PendingCall<?>> takeAll() {
        List<PendingCall<?>> all = new ArrayList<>(size());
        for (int place = 0; place < places.length; place++) {
            PendingCall<?> call = places[place];
            if (call != null) {
                free(place);
                all.add(call);
            }
        }
        return all;
    }

    /** Returns the calls that were not sent yet, in the order of their places. */
    List<PendingCall<?>> unsent() {
        List<PendingCall<?>> unsent = new ArrayList<>();
        for (PendingCall<?> call : places) {
            if (call != null && !call.isSent()) {
                unsent.add(call);
            }
        }
        return unsent;
    }

    private void free(int place) {
        places[place] = null;
        freePlaces[freeCount++] = place;
    }

    private void addFree(int from) {
        for (int place = places.length - 1; place >= from; place--) {
            freePlaces[freeCount++] = place;
        }
    }
}
