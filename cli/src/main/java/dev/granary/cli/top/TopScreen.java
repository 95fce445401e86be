package dev.granary.cli.top;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.NonBlockingReader;

/** A terminal in its second buffer, so that the lines of the shell are there again at the end. */
final class TopScreen implements AutoCloseable {

    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String END_OF_LINE = "\u001b[K\r\n";
    private static final String REST = "\u001b[J";
    private static final int WIDTH_IF_UNKNOWN = 120;
    private static final int HEIGHT_IF_UNKNOWN = 40;

    private final Terminal terminal;
    private final Attributes before;
    private volatile boolean interrupted;

    private TopScreen(Terminal terminal) {
        this.terminal = terminal;
        before = terminal.enterRawMode();
        // Ctrl-C ends the view as q does: the JVM's own end would leave the terminal as it is.
        terminal.handle(Terminal.Signal.INT, _ -> interrupted = true);
        PrintWriter writer = terminal.writer();
        writer.print(ENTER);
        writer.flush();
    }

    static TopScreen open() {
        try {
            return new TopScreen(
                    TerminalBuilder.builder().system(true).dumb(true).build());
        } catch (IOException e) {
            throw new UserException("the terminal cannot be used: " + e.getMessage() + "; try --once", e);
        }
    }

    /** Shows lines in place of those before. */
    void show(List<String> lines) {
        int width = terminal.getWidth() > 0 ? terminal.getWidth() : WIDTH_IF_UNKNOWN;
        int height = terminal.getHeight() > 0 ? terminal.getHeight() : HEIGHT_IF_UNKNOWN;
        PrintWriter writer = terminal.writer();
        writer.print(HOME);
        // The last row stays empty: a line end there would scroll.
        TopText.fit(lines, width, height - 1).forEach(line -> writer.print(line + END_OF_LINE));
        writer.print(REST);
        writer.flush();
    }

    /**
     * Waits for a key.
     *
     * @return whether a key was pressed that ends the program: q, Ctrl-C, or the end of the input
     */
    boolean endedWithin(long millis) {
        try {
            int key = terminal.reader().read(millis);
            return interrupted || key == 'q' || key == 'Q' || key == NonBlockingReader.EOF;
        } catch (IOException e) {
            throw new UserException("the terminal cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        terminal.writer().print(LEAVE);
        terminal.writer().flush();
        terminal.setAttributes(before);
        try {
            terminal.close();
        } catch (IOException e) {
            throw new UserException("the terminal cannot be closed: " + e.getMessage(), e);
        }
    }
}
