package dev.granary.cli.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The data sets that the application carries. */
enum DataSet {
    /** The packages of a Debian release and the relations between them. */
    DEBIAN_PACKAGES("debian-packages");

    private final String label;

    DataSet(String label) {
        this.label = label;
    }

    @Override
    public String toString() {
        return label;
    }

    /** Parses the name of a data set. */
    static final class Converter implements ITypeConverter<DataSet> {

        @Override
        public DataSet convert(String text) {
            for (DataSet dataSet : values()) {
                if (dataSet.label.equals(text)) {
                    return dataSet;
                }
            }
            throw new TypeConversionException("there is no data set '" + text + "'; there is " + DEBIAN_PACKAGES);
        }
    }
}
