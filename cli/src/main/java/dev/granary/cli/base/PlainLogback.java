package dev.granary.cli.base;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logback without a search for files that configure it: {@link CommandLogging} does that. The search, and SLF4J's for
 * this class in all jars, took a tenth of the time of a short command (ADR 0375).
 */
public final class PlainLogback implements SLF4JServiceProvider {

    private final LoggerContext context = new LoggerContext();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final LogbackMDCAdapter diagnostics = new LogbackMDCAdapter();

    /** For SLF4J, which makes it by the name of its class. */
    public PlainLogback() {}

    @Override
    public void initialize() {
        context.setMDCAdapter(diagnostics);
        context.start();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return context;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    /** The version of SLF4J's interface, as that of Logback. */
    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }
}
