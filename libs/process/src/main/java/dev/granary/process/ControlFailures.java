package dev.granary.process;

import dev.granary.env.Clock;
import dev.granary.env.Loops;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of exceptions in tasks and loops of a process. They are logged, those of one loop only now and then.
 * After an error of the virtual machine (no memory, an internal error) the process ends: whatever was just being
 * changed may be half changed, and the others can deal better with a process that has lost its memory than with one
 * that is wrong. Thread-safe.
 */
final class ControlFailures implements Loops.Watcher {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFailures.class);

    private final ProcessControl control;
    private final Loops.Watcher log;

    ControlFailures(Clock clock, ProcessControl control) {
        this.control = control;
        this.log = Loops.rarely(
                clock, (text, thrown) -> LOG.atError().setCause(thrown).log(text));
    }

    /** A task has thrown something. */
    void ofTask(Throwable thrown) {
        LOG.atError().setCause(thrown).log("a control task failed");
        endIfFatal(thrown);
    }

    @Override
    public void failed(String loop, Throwable thrown) {
        log.failed(loop, thrown);
        endIfFatal(thrown);
    }

    private void endIfFatal(Throwable thrown) {
        if (thrown instanceof VirtualMachineError) {
            control.fail("it cannot go on after " + thrown, thrown);
        }
    }
}
