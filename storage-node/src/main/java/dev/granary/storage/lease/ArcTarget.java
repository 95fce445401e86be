package dev.granary.storage.lease;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.RingMember;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which super-peer to ask about the own arc: the one that answered last; after a failure the one that it named,
 * otherwise the next of those that know the arc. Tasks of one scheduler.
 */
final class ArcTarget {

    /** So many super-peers may name another one, one after the other, before there is a pause. */
    private static final int MAX_REFERRALS = 3;

    private final RingView ring;
    private @Nullable HostAddress referred;
    private int turn;
    private int referrals;

    /**
     * Where to send a request.
     *
     * @param address of the super-peer
     * @param nid that must answer there, {@link Nid#NONE} for any
     */
    record Target(HostAddress address, int nid) {

        /** For people. */
        String describe() {
            return nid == Nid.NONE ? address.toString() : Nid.toHex(nid) + " at " + address;
        }
    }

    ArcTarget(RingView ring) {
        this.ring = ring;
    }

    /**
     * The super-peer to ask next.
     *
     * @param nid the own one
     * @throws IllegalStateException while no ring is known
     */
    Target target(int nid) {
        HostAddress named = referred;
        if (named != null) {
            return new Target(named, Nid.NONE);
        }
        List<RingMember> holders = ring.holdersOf(nid);
        if (holders.isEmpty()) {
            throw new IllegalStateException("the ring is asked for before it is known");
        }
        RingMember holder = holders.get(turn % holders.size());
        return new Target(holder.address(), holder.nid());
    }

    /** It has answered: it will be asked again. */
    void answered() {
        referrals = 0;
    }

    /**
     * One has refused or was silent. Several may have been asked at once, of the same one: only the first failure leads
     * to the next, or three failures would lead all of them past two that answer, and back.
     *
     * @param nid the own one
     * @param asked what {@link #target} said when it was asked
     * @return whether it has named another one, which is worth to be asked at once
     */
    boolean failed(int nid, Target asked, Throwable failure) {
        if (!asked.equals(target(nid))) {
            return false;
        }
        HostAddress named = failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.REDIRECT
                ? remote.reply().redirect()
                : null;
        if (named != null && referrals < MAX_REFERRALS) {
            referrals++;
            referred = named;
            return true;
        }
        referrals = 0;
        referred = null;
        turn++;
        return false;
    }
}
