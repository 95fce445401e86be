package dev.granary.client.internal;

import dev.granary.serialization.Exportable;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** The contents of a batch, written straight into requests. Several threads read them, for different chunks. */
interface ChunkSource {

    int count();

    int sizeBytes(int index);

    /** Appends the content at an index: exactly {@link #sizeBytes} bytes. */
    void write(int index, ByteBuf out);

    /** Whether all contents are zeros and need not be sent. */
    default boolean isZeroed() {
        return false;
    }

    /** The content of one chunk. */
    final class One implements ChunkSource {

        private final byte[] value;

        One(byte[] value) {
            this.value = value;
        }

        @Override
        public int count() {
            return 1;
        }

        @Override
        public int sizeBytes(int index) {
            return value.length;
        }

        @Override
        public void write(int index, ByteBuf out) {
            out.writeBytes(value);
        }
    }

    static ChunkSource of(List<byte[]> values) {
        return new ChunkSource() {
            @Override
            public int count() {
                return values.size();
            }

            @Override
            public int sizeBytes(int index) {
                return values.get(index).length;
            }

            @Override
            public void write(int index, ByteBuf out) {
                out.writeBytes(values.get(index));
            }
        };
    }

    static ChunkSource ofObjects(List<? extends Exportable> objects) {
        return new ChunkSource() {
            @Override
            public int count() {
                return objects.size();
            }

            @Override
            public int sizeBytes(int index) {
                return objects.get(index).sizeBytes();
            }

            @Override
            public void write(int index, ByteBuf out) {
                ChunkBuffers.export(objects.get(index), out);
            }
        };
    }

    static ChunkSource zeroed(int count, int sizeBytes) {
        return new ChunkSource() {
            @Override
            public int count() {
                return count;
            }

            @Override
            public int sizeBytes(int index) {
                return sizeBytes;
            }

            @Override
            public void write(int index, ByteBuf out) {
                out.writeZero(sizeBytes);
            }

            @Override
            public boolean isZeroed() {
                return true;
            }
        };
    }
}
