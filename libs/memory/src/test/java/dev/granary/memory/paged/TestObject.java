package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;

/** An object of some bytes that writes itself, and one that reads itself and must find just these. */
final class TestObject {

    private TestObject() {}

    static Exportable of(byte[] content) {
        return new Exportable() {
            @Override
            public int sizeBytes() {
                return content.length;
            }

            @Override
            public void exportTo(Exporter out) {
                for (byte value : content) {
                    out.writeByte(value);
                }
            }
        };
    }

    static Importable expecting(byte[] content) {
        return in -> {
            assertThat(in.remainingBytes()).isEqualTo(content.length);
            for (byte value : content) {
                assertThat(in.readByte()).isEqualTo(value);
            }
        };
    }
}
