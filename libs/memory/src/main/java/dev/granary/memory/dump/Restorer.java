package dev.granary.memory.dump;

import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.StripeBooks;
import dev.granary.memory.page.Stripes;

/**
 * Makes on the heap what belongs to a VMB that was loaded: counters, and which pages have free LIDs. Nobody else has
 * the memory yet. Pins and locks are not restored: they belong to addresses and callers that are gone.
 */
public final class Restorer {

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final DumpCheck check;
    private int nextStripe;

    public Restorer(Space space, Stripes stripes, DumpCheck check) {
        this.check = check;
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
    }

    /**
     * Restores all.
     *
     * @throws InvalidDumpException if what is found is not what the header says, or leads astray
     */
    public void restore(DumpHeader header) {
        check.tables();
        space.nids.restore();
        // Without numbers that were handed out, but whose leaf there was no room for.
        space.numbers.restore(space.table.lastPage(header.nextPage() - 1) + 1, header.endLid());
        space.nids.forEach((nid, table) -> table.forEachPage(page -> restore(page, nid == space.nid)));
        long chunks = 0;
        long payload = 0;
        for (int i = 0; i < stripes.count(); i++) {
            chunks += stripes.get(i).books().chunks();
            payload += stripes.get(i).books().payloadBytes();
        }
        if (chunks != header.chunks() || payload != header.payloadBytes()) {
            throw new InvalidDumpException("the dump should have " + header.chunks() + " chunks of "
                    + header.payloadBytes() + " B, found are " + chunks + " of " + payload + " B");
        }
    }

    private void restore(long page, boolean own) {
        long number = Page.number(vmb.getAcquire(page + Page.NUMBER));
        vmb.setRelease(page + Page.NUMBER, number);
        Latch.reset(vmb, page + Page.LATCH);
        long form = vmb.getAcquire(page);
        long state = vmb.getAcquire(page + Page.STATE) & ~(Page.OPEN | Page.LISTED);
        vmb.setRelease(page + Page.STATE, state);
        check.page(form, state, number);
        if (Page.kind(form) == Page.NONE) {
            if (own && number >= space.numbers.firstLid() >>> Page.SLOT_BITS && number < space.numbers.next()) {
                stripes.get(nextStripe++ % stripes.count()).giveEmptyPageBack(page);
            }
            return;
        }
        space.sparse.enter(page);
        Stripe owner = stripes.get(Page.owner(state));
        if (Page.kind(form) != Page.ENTRIES) {
            space.metaBytes.addAndGet(Meta.sizeBytes(form, state));
        }
        count(owner.books(), form, state);
        if (own) {
            space.numbers.restorePage(number);
            if (Page.live(state) < space.numbers.slots(number)) {
                owner.adopt(page);
            }
        }
    }

    private void count(StripeBooks books, long form, long state) {
        switch (Page.kind(form)) {
            case Page.ENTRIES -> countEntries(books, Page.base(form));
            case Page.TYPED -> countTyped(books, form, state);
            default -> countPacked(books, Page.meta(state));
        }
    }

    private void countEntries(StripeBooks books, long table) {
        for (int i = 0; i < Page.SLOTS; i++) {
            long entry = vmb.getAcquire(table + (long) i * EntryLayout.BYTES);
            if (entry != EntryLayout.NO_CHUNK) {
                books.created(Chunks.size(vmb, entry));
            }
        }
    }

    private void countTyped(StripeBooks books, long form, long state) {
        int stride = Page.stride(form);
        int here = Page.live(state);
        if ((form & Page.HAS_FORWARDS) != 0) {
            for (int i = 0; i < Page.SLOTS; i++) {
                if (Meta.isSet(vmb, Page.meta(state) + Meta.FORWARDS, i)) {
                    here--;
                    books.created(Chunks.size(vmb, vmb.getLong(Page.base(form) + (long) i * stride)));
                }
            }
        }
        books.created(stride, here);
    }

    private void countPacked(StripeBooks books, long meta) {
        for (int group = 0; group < Group.PER_PAGE; group++) {
            long word = vmb.getAcquire(meta + Meta.GROUPS + 8L * group);
            long at = word == 0 ? 0 : Group.payload(word);
            for (int i = 0; word != 0 && i < Group.LIDS; i++) {
                int code = Group.code(vmb, word, i);
                int bytes = Group.bytes(word, code);
                if (Meta.isSet(vmb, meta, group * Group.LIDS + i)) {
                    books.created(code == Group.forwardCode(word) ? Chunks.size(vmb, vmb.getLong(at)) : bytes);
                }
                at += bytes;
            }
        }
    }
}
