package dev.granary.cli.command;

import java.io.Console;
import java.util.Optional;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress bars on standard error. They appear only on a terminal. */
public final class Progress {

    private static final int UPDATE_MILLIS = 200;

    private Progress() {}

    /** A bar for work of a known length. The caller closes it when the work ends. */
    public static ProgressBar bar(String task, long total) {
        return build(new ProgressBarBuilder(), task, total);
    }

    /** The same in bytes; the total is -1 when nobody knows it. */
    static ProgressBar bytes(String task, long total) {
        return build(new ProgressBarBuilder().setUnit(" MiB", 1 << 20), task, total);
    }

    private static ProgressBar build(ProgressBarBuilder begun, String task, long total) {
        ProgressBarBuilder builder = begun.setTaskName(task)
                .setInitialMax(total)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setStyle(ProgressBarStyle.ASCII)
                .showSpeed();
        if (!Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false)) {
            builder.setConsumer(new DelegatingProgressBarConsumer(_ -> {}));
        }
        return builder.build();
    }
}
