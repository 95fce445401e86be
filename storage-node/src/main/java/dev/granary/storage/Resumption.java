package dev.granary.storage;

import dev.granary.env.Scheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.storage.data.RequestLuggage;
import dev.granary.storage.park.ParkFiles;
import dev.granary.storage.park.ParkManifest;
import dev.granary.storage.probe.StorageProbe;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up what a planned stop left on the disk (ADR 0120). The dump is done away with, durably, before anything is
 * served (SAFETY rule "one writer"): a crash from then on is a crash.
 */
final class Resumption {

    private static final Logger LOG = LoggerFactory.getLogger(Resumption.class);

    private final Scheduler scheduler;
    private final Executor worker;
    private final ParkFiles files;
    private final ParkManifest manifest;

    Resumption(Scheduler scheduler, Executor worker, ParkFiles files, ParkManifest manifest) {
        this.scheduler = scheduler;
        this.worker = worker;
        this.files = files;
        this.manifest = manifest;
    }

    /** Loads the memory on the worker, and then calls one of the two callbacks on the scheduler. */
    void load(ChunkMemoryConfig config, Consumer<ChunkMemory> loaded, Consumer<Throwable> failed) {
        LOG.atInfo()
                .addKeyValue("zones", manifest.zones().size())
                .log("loading the parked memory from the data directory");
        worker.execute(() -> {
            try {
                ChunkMemory memory = files.load(config);
                boolean done = false;
                try {
                    files.discard();
                    done = true;
                } finally {
                    if (!done) {
                        memory.close();
                    }
                }
                scheduler.execute(() -> loaded.accept(memory));
            } catch (IOException | RuntimeException e) {
                discard();
                scheduler.execute(() -> failed.accept(e));
            }
        });
    }

    private void discard() {
        try {
            files.discard();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("the parked memory in this data directory could not be deleted");
        }
    }

    /** Takes over what was carried out before, and the tokens of locks. */
    static void learn(ParkManifest manifest, RequestLuggage luggage) {
        StorageProbe.PARKED_MEMORY_SERVED.hit();
        for (ParkManifest.Request request : manifest.requests()) {
            byte[] completion = request.completion();
            luggage.request(
                    request.clientId(), request.sequence(), 0, MemorySegment.ofArray(completion), 0, completion.length);
        }
        manifest.tokens().forEach(token -> luggage.token(token.cid(), token.token()));
    }
}
