package dev.granary.cli.command;

import dev.granary.overlay.Nid;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the NID of a storage peer such as {@code 0x8000}. */
public final class NidConverter implements ITypeConverter<Integer> {

    @Override
    public Integer convert(String text) {
        try {
            return Nid.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
