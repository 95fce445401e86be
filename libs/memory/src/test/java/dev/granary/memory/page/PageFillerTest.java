package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What fillers have in common, by those for chunks of 100 B. */
@ParameterizedClass
@EnumSource(MemoryLayout.class)
class PageFillerTest {

    private static final int SIZE = 100;

    /** Three pages and 40 LIDs of a fourth. */
    private static final int END = 3 * Page.SLOTS + 40;

    private final OpenMemory open;
    private final Stripe stripe;
    private final PageFiller filler;

    PageFillerTest(MemoryLayout layout) {
        open = new OpenMemory(layout, 4 << 20, 1, END);
        stripe = open.stripes.get(0);
        stripe.lock.lock();
        create();
        filler = stripe.fillerOf(stripe.slot.page);
    }

    @AfterEach
    void close() {
        stripe.finish();
        assertThat(violations()).isEmpty();
        stripe.lock.unlock();
        open.close();
    }

    @Test
    void take_aPageAfterTheOther_onlyTheLastIsOpen() {
        for (long lid = 2; lid < END; lid++) {
            assertThat(create()).isEqualTo(lid);
            assertThat(filler.open()).isEqualTo(page(lid));
        }
        for (long number = 0; number < 4; number++) {
            long flags = open.vmb.getAcquire(page(number * Page.SLOTS) + Page.STATE) & (Page.OPEN | Page.LISTED);
            assertThat(flags).isEqualTo(number == 3 ? Page.OPEN : 0);
        }
        assertThat(filler.take(true)).isEqualTo(-1);
        assertThat(stripe.lastFailure()).isEqualTo(Outcome.NO_LID);
    }

    @Test
    void take_openEndedPage_goesOnWhenMoreLidsMayBeGiven() {
        fill();
        open.memory.reserveLids(END + 2);
        assertThat(create()).isEqualTo(END);
        assertThat(create()).isEqualTo(END + 1);
        assertThat(filler.take(true)).isEqualTo(-1);
        // A slot that was freed in front of those is seen, too.
        delete(END - 3);
        assertThat(create()).isEqualTo(END - 3);
    }

    @Test
    void close_pageWithFreeLids_isListedBehindTheOthers() {
        long first = filler.open();
        filler.close(first);
        assertThat(filler.open()).isZero();
        assertThat(listed()).containsExactly(first);
        filler.close(first);
        assertThat(listed()).containsExactly(first);
        assertThat(create()).isEqualTo(2);
        assertThat(filler.open()).isEqualTo(first);
        assertThat(filler.hasListed()).isFalse();
    }

    @Test
    void take_mayNotMake_takesListedPagesOnly() {
        long first = filler.open();
        for (int i = 2; i < Page.SLOTS; i++) {
            create();
        }
        stripe.finish();
        assertThat(filler.take(false)).isEqualTo(-1);
        delete(77);
        assertThat(listed()).containsExactly(first);
        assertThat(filler.take(false)).isEqualTo(77);
    }

    @Test
    void take_listedPageIsBusy_takesAnotherAndComesBack() {
        fill();
        delete(5);
        delete(Page.SLOTS + 5);
        long busy = page(Page.SLOTS + 5) + Page.LATCH;
        Latch.lockExclusive(open.vmb, busy);
        assertThat(create()).isEqualTo(5);
        Latch.unlockExclusive(open.vmb, busy);
        assertThat(create()).isEqualTo(Page.SLOTS + 5);
        assertThat(filler.take(true)).isEqualTo(-1);
    }

    @Test
    void verify_listsThatDoNotAgreeWithPages_isFound() {
        long page = filler.open();
        long state = open.vmb.getAcquire(page + Page.STATE);
        open.vmb.setRelease(page + Page.STATE, state & ~Page.OPEN);
        assertThat(violations()).anyMatch(found -> found.contains("an open page of stripe 0 does not say so"));
        open.vmb.setRelease(page + Page.STATE, state);
        filler.close(page);
        state = open.vmb.getAcquire(page + Page.STATE);
        open.vmb.setRelease(page + Page.STATE, state & ~Page.LISTED);
        assertThat(violations()).anyMatch(found -> found.contains("a page that stripe 0 lists has the state"));
        open.vmb.setRelease(page + Page.STATE, state);
    }

    private void fill() {
        for (long lid = 2; lid < END; lid++) {
            create();
        }
        stripe.finish();
    }

    private long create() {
        assertThat(stripe.place(SIZE, false)).isEqualTo(Outcome.DONE);
        stripe.publish(stripe.slot, SIZE);
        stripe.finish();
        return Page.number(open.vmb.getAcquire(stripe.slot.page + Page.NUMBER)) * Page.SLOTS + stripe.slot.index;
    }

    private void delete(long lid) {
        stripe.lock.unlock();
        assertThat(open.memory.delete(OpenMemory.own(lid))).isTrue();
        stripe.lock.lock();
    }

    private long page(long lid) {
        return open.space.table.find(lid);
    }

    private List<Long> listed() {
        List<Long> pages = new ArrayList<>();
        filler.forEachListed(pages::add);
        return pages;
    }

    private List<String> violations() {
        List<String> violations = new ArrayList<>();
        filler.verify(violations);
        return violations;
    }
}
