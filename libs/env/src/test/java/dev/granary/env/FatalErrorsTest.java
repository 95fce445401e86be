package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FatalErrorsTest {

    @Test
    void tell_errorsAndExceptions_theProcessHearsOfErrorsOfTheVirtualMachineOnly() {
        List<Throwable> heard = new ArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> heard.add(thrown));
        OutOfMemoryError error = new OutOfMemoryError("planted");
        try {
            FatalErrors.tell(error);
            FatalErrors.tell(new IllegalStateException("planted"));
            FatalErrors.tell(new AssertionError("planted"));
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }

        assertThat(heard).containsExactly(error);
    }

    @Test
    void tell_threadHasAHandlerOfItsOwn_thatOneHears() throws InterruptedException {
        List<Throwable> heard = new ArrayList<>();
        OutOfMemoryError error = new OutOfMemoryError("planted");
        Thread thread = Thread.ofPlatform()
                .uncaughtExceptionHandler((in, thrown) -> heard.add(thrown))
                .start(() -> FatalErrors.tell(error));
        thread.join();

        assertThat(heard).containsExactly(error);
    }
}
