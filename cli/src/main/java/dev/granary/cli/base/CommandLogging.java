package dev.granary.cli.base;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.Reporter;

/** Logging of a command: warnings only, on standard error, so that standard output has results only. */
public final class CommandLogging {

    private CommandLogging() {}

    /**
     * Sends warnings to standard error. Call it before anything logs: SLF4J then takes {@link PlainLogback}, which it
     * does not have to look for.
     */
    public static void configure() {
        System.setProperty(LoggerFactory.PROVIDER_PROPERTY_KEY, PlainLogback.class.getName());
        // Otherwise SLF4J tells that it does so.
        System.setProperty(Reporter.SLF4J_INTERNAL_VERBOSITY_KEY, "WARN");
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("granary: %level %logger{0}: %msg %kvp%n");
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender);
        root.setLevel(Level.WARN);
    }

    /** Turns logging off: simulated processes warn of faults that are injected on purpose. */
    public static void silence() {
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
    }
}
