package dev.granary.client.internal;

import dev.granary.client.InvalidRequestException;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import dev.granary.serialization.SegmentExporter;
import dev.granary.serialization.SegmentImporter;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Objects write themselves into requests and read themselves from replies, with no copy in between. */
final class ChunkBuffers {

    private ChunkBuffers() {}

    static void export(Exportable object, ByteBuf out) {
        int sizeBytes = object.sizeBytes();
        out.ensureWritable(sizeBytes);
        MemorySegment segment = MemorySegment.ofBuffer(out.internalNioBuffer(out.writerIndex(), sizeBytes));
        SegmentExporter exporter = new SegmentExporter(segment, 0, sizeBytes);
        object.exportTo(exporter);
        if (exporter.writtenBytes() != sizeBytes) {
            throw new InvalidRequestException(object.getClass().getName() + " says that it takes " + sizeBytes
                    + " bytes and writes " + exporter.writtenBytes());
        }
        out.writerIndex(out.writerIndex() + sizeBytes);
    }

    /** Reads an object from the buffer's next bytes. Does not move the reader index. */
    static void load(Importable object, ByteBuf in, int sizeBytes) {
        MemorySegment segment = MemorySegment.ofBuffer(in.internalNioBuffer(in.readerIndex(), sizeBytes));
        object.importFrom(new SegmentImporter(segment, 0, sizeBytes));
    }
}
