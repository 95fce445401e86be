package dev.granary.cli.base;

import picocli.CommandLine.IVersionProvider;

/** The version from the jar's manifest. */
public final class VersionProvider implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {"granary " + version() + " (Java " + Runtime.version() + ")"};
    }

    /** The version, or {@code development} when the classes are not in a jar. */
    public static String version() {
        String version = VersionProvider.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
