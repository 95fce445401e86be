package dev.granary.storage;

import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.storage.keyed.KeyedService;
import dev.granary.storage.lease.LeaseKeeper;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.replicate.Replication;

/** What exists of a storage peer once it listens. */
record NodeParts(
        RpcIdentity identity,
        RpcClient rpc,
        LeaseKeeper keeper,
        Migrations migrations,
        Replication replication,
        NameCopies names,
        KeyedService keyed) {}
