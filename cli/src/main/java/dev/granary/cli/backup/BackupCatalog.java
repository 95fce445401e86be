package dev.granary.cli.backup;

import dev.granary.client.NamedChunk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The cluster backups in a store. A backup without a manifest is unfinished and is never restored. */
public final class BackupCatalog {

    private static final Pattern ID = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,126}[a-z0-9])?");

    private final BackupStore store;

    public BackupCatalog(BackupStore store) {
        this.store = store;
    }

    /** An access to the store, whose {@link IOException} becomes a {@link BackupException} with a sentence. */
    @FunctionalInterface
    interface Access<T> {
        T run() throws IOException;
    }

    <T> T access(Access<T> access) {
        try {
            return access.run();
        } catch (NoSuchFileException e) {
            throw new BackupException("there is no " + e.getFile() + " in " + store.describe(), e);
        } catch (IOException e) {
            throw new BackupException(store.describe() + " cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Checks that a text can be the id of a backup.
     *
     * @throws BackupException when it cannot
     */
    static void requireId(String id) {
        if (!ID.matcher(id).matches()) {
            throw new BackupException(
                    "'" + id + "' cannot be the id of a backup: it has lower-case letters, digits, '-' and"
                            + " '.', and begins and ends with a letter or digit");
        }
    }

    /** The ids of all finished and unfinished backups. */
    public Set<String> ids() {
        Set<String> ids = new TreeSet<>();
        for (String file : access(store::list)) {
            int slash = file.indexOf('/');
            if (slash > 0) {
                ids.add(file.substring(0, slash));
            }
        }
        return ids;
    }

    /** The manifests of the finished backups, oldest first. */
    public List<BackupManifest> finished() {
        List<BackupManifest> found = new ArrayList<>();
        for (String file : access(store::list)) {
            if (file.endsWith("/" + BackupManifest.FILE)) {
                found.add(BackupManifest.read(file, access(() -> store.get(file))));
            }
        }
        found.sort(Comparator.comparingLong(BackupManifest::startedAtMillis).thenComparing(BackupManifest::id));
        return found;
    }

    /** Whether a backup is finished. */
    public boolean isFinished(String id) {
        return access(store::list).contains(id + "/" + BackupManifest.FILE);
    }

    /**
     * The manifest of a finished backup.
     *
     * @param id null for the newest backup
     * @throws BackupException when there is no such backup, or it is not finished
     */
    public BackupManifest find(@Nullable String id) {
        if (id == null) {
            List<BackupManifest> all = finished();
            if (all.isEmpty()) {
                throw new BackupException("there is no finished backup in " + store.describe());
            }
            return all.getLast();
        }
        requireId(id);
        if (!isFinished(id)) {
            throw new BackupException(
                    ids().contains(id)
                            ? "backup " + id + " in " + store.describe()
                                    + " is not finished: it has no manifest, and cannot be restored"
                            : "there is no backup " + id + " in " + store.describe());
        }
        String file = id + "/" + BackupManifest.FILE;
        return BackupManifest.read(file, access(() -> store.get(file)));
    }

    /** The bytes of a part, after a check of their size and checksum against the manifest. */
    byte[] part(BackupManifest manifest, BackupManifest.Part part) {
        String file = manifest.id() + "/" + part.name();
        byte[] bytes = access(() -> store.get(file));
        if (bytes.length != part.sizeBytes() || BackupManifest.checksumOf(bytes, 0, bytes.length) != part.checksum()) {
            throw new BackupException(file + " in " + store.describe() + " is damaged: it is not what was written");
        }
        return bytes;
    }

    /** Deletes a backup. The manifest goes first, so that a half-deleted backup counts as unfinished. */
    public void delete(String id) {
        requireId(id);
        access(() -> {
            store.delete(id + "/" + BackupManifest.FILE);
            for (String file : store.list()) {
                if (file.startsWith(id + "/")) {
                    store.delete(file);
                }
            }
            return id;
        });
    }

    /**
     * Deletes a cluster's oldest finished backups of a series until {@code keep} are left.
     *
     * @param series the prefix of their ids
     * @return the ids of the deleted backups
     */
    public List<String> keep(String series, String clusterId, int keep) {
        List<String> ids = finished().stream()
                .filter(each -> each.clusterId().equals(clusterId) && each.id().startsWith(series))
                .map(BackupManifest::id)
                .toList();
        List<String> gone = ids.subList(0, Math.max(0, ids.size() - keep));
        gone.forEach(this::delete);
        return gone;
    }

    /**
     * Reads a whole backup and compares it with its checksums.
     *
     * @throws BackupException when it is damaged
     */
    public void verify(BackupManifest manifest) {
        long[] found = new long[3];
        for (BackupManifest.Part part : manifest.parts()) {
            new PartReader(part.name(), part(manifest, part)).read(new PartReader.Visitor() {
                @Override
                public void chunks(ChunkBlock block) {
                    found[0] += block.cids().length;
                }

                @Override
                public void names(List<NamedChunk> names) {
                    found[1] += names.size();
                }

                @Override
                public void keys(KeyBlock block) {
                    found[2] += block.keys().size();
                }
            });
        }
        if (found[0] != manifest.chunks() || found[1] != manifest.names() || found[2] != manifest.keys()) {
            throw new BackupException("backup " + manifest.id() + " has " + found[0] + " chunks, " + found[1]
                    + " names and " + found[2] + " keys, and its manifest says " + manifest.chunks() + ", "
                    + manifest.names() + " and " + manifest.keys());
        }
    }
}
