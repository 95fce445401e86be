package dev.granary.cli.command;

import dev.granary.overlay.Cid;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a CID such as {@code 0x8000000000000001}. */
public final class CidConverter implements ITypeConverter<Long> {

    @Override
    public Long convert(String text) {
        try {
            return Cid.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
