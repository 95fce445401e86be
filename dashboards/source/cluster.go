package main

func cluster() board {
	return board{
		uid: "granary-cluster", title: "Granary / Cluster",
		about: "One cluster. The first row answers on call: are there errors, is it slow, is something lost, " +
			"can it lose a storage peer? Nothing in the panels means: nobody was scraped.",
		sections: []section{
			{"On call", onCall()},
			{"Operations", clusterOperations()},
			{"Memory and chunks", clusterMemory()},
			{"Moves of chunks", clusterMoves()},
			{"Ring, leases and lookups", clusterRing()},
			{"Replicated states of super-peers", clusterRaft()},
			{"Names and locks", clusterNames()},
			{"Network", clusterNetwork()},
			{"Processes", clusterProcesses()},
			{"Operator", clusterOperator()},
		},
	}
}

func onCall() []panel {
	operations := rate(in("granary_storage_operations_total"))
	used, capacity := in("granary_storage_memory_used_bytes"), in("granary_storage_memory_capacity_bytes")
	return []panel{
		{kind: number, title: "Errors", unit: "percentunit", width: 4, noValue: "no operations", runbook: "GranaryHighErrorRatio",
			about:   "Share of operations that ended with an error: a malformed request, or a peer that failed.",
			queries: one(sum(rate(in("granary_storage_operations_total", `outcome="error"`))) + " / " + sum(operations)),
			steps:   good(0.001, 0.01)},
		{kind: number, title: "Refused", unit: "percentunit", width: 4, noValue: "no operations", runbook: "GranaryCopiesMissing",
			about: "Share of operations that were refused for now: no room, no lease, too few copies, or another owner. " +
				"Clients ask again.",
			queries: one(sum(rate(in("granary_storage_operations_total", `outcome="refused"`))) + " / " + sum(operations)),
			steps:   good(0.05, 0.25)},
		{kind: number, title: "p99 of gets", unit: "s", width: 4, noValue: "no gets", runbook: "GranaryHighLatency",
			about:   "Of a frame, in the storage peer: without the network and the client. Over five minutes.",
			queries: one(quantile("0.99", "", in(requestBuckets, `operation="get"`))),
			steps:   good(0.02, 0.1)},
		{kind: number, title: "p99 of puts", unit: "s", width: 4, noValue: "no puts", runbook: "GranaryHighLatency",
			about:   "Of a frame, in the storage peer, with the wait for its copies. Over five minutes.",
			queries: one(quantile("0.99", "", in(requestBuckets, `operation=~"put|create"`))),
			steps:   good(0.25, 1)},
		{kind: number, title: "Full if one dies", unit: "percentunit", width: 4, noValue: "nobody tells",
			runbook: "GranaryNoHeadroom",
			about: "Headroom: how full the memory of the others would be after the death of the largest storage peer. " +
				"Above 95 % its zones would find no room.",
			queries: one(fillWithoutOne("", used, capacity)), steps: good(0.8, 0.95)},
		{kind: number, title: "Memory used", unit: "percentunit", width: 4, noValue: "nobody tells",
			runbook: "GranaryMemoryNearlyFull",
			about:   "Share of the memory for chunks that is in use.",
			queries: one(sum(used) + " / " + sum(capacity)), steps: good(0.85, 0.97)},
		{kind: number, title: "Zones lost", unit: "none", width: 4, noValue: "nobody tells", runbook: "GranaryZonesLost",
			about:   "Zones of which no copy was left. Reads of their chunks answer \"lost\".",
			queries: one(sum(in("granary_superpeer_zones", `state="lost"`))), steps: none(red)},
		{kind: number, title: "Zones without an owner", unit: "none", width: 4, noValue: "nobody tells",
			runbook: "GranaryZonesRecovering",
			about:   "Their chunks are not served until a storage peer has recovered them, which takes seconds.",
			queries: one(sum(in("granary_superpeer_zones", `state="recovering"`))), steps: none(yellow)},
		{kind: number, title: "Zones that refuse writes", unit: "none", width: 4, noValue: "nobody tells",
			runbook: "GranaryWritesRefused",
			about:   "They have too few copies to acknowledge a change. They can be read.",
			queries: one(sum(in("granary_storage_zones_below_floor"))), steps: none(red)},
		{kind: number, title: "Live storage peers", unit: "none", width: 4, noValue: "nobody tells",
			runbook: "GranaryStoragePeerWithoutLease",
			about:   "Storage peers that hold a lease.",
			queries: one(sum(in("granary_superpeer_storage_peers", `state="live"`))), steps: atLeast(1)},
		{kind: number, title: "Storage peers missed", unit: "none", width: 4, noValue: "nobody tells",
			runbook: "GranaryStoragePeerGone",
			about:   "Their leases ended, and zones or copies are still theirs. Drained ones do not count.",
			queries: one(sum(in("granary_superpeer_storage_peers", `state="expired"`))), steps: none(yellow)},
		{kind: number, title: "Ring complete", unit: "none", width: 4, noValue: "nobody tells", runbook: "GranaryRingIncomplete",
			about:   "Whether all super-peers are on the ring. Storage peers are admitted only when they are.",
			queries: one("min(" + in("granary_superpeer_ring_complete") + ")"), steps: atLeast(1), words: yesNo},
	}
}

func clusterOperations() []panel {
	return []panel{
		{kind: lines, title: "Operations by kind", unit: "ops", width: 8, noValue: "no operations",
			about:   "Chunks, not frames: a batch of a thousand counts a thousand.",
			queries: by(sumBy("operation", rate(in("granary_storage_operations_total"))), "{{operation}}")},
		{kind: lines, title: "Operations by outcome", unit: "ops", width: 8, noValue: "no operations",
			about: "not_found also counts chunks that are lost. refused is a request that came to the wrong peer or at " +
				"the wrong time; the client asks again.",
			queries: by(sumBy("outcome", rate(in("granary_storage_operations_total"))), "{{outcome}}")},
		{kind: lines, title: "Operations by peer", unit: "ops", width: 8, noValue: "no operations",
			about:   "Much more at one peer than at others: its chunks are hot.",
			queries: by(sumBy("pod", rate(in("granary_storage_operations_total"))), "{{pod}}")},
		{kind: lines, title: "Median of a frame, in the storage peer", unit: "s", width: 8, noValue: "no requests",
			about:   "Without the network and the client. Over five minutes.",
			queries: by(quantile("0.5", "operation", in(requestBuckets)), "{{operation}}")},
		{kind: lines, title: "99th percentile of a frame, in the storage peer", unit: "s", width: 8, noValue: "no requests",
			runbook: "GranaryHighLatency",
			about:   "Without the network and the client. Over five minutes.",
			queries: by(quantile("0.99", "operation", in(requestBuckets)), "{{operation}}"), steps: limits(0.1, 1)},
		{kind: lines, title: "99.9th percentile of a frame, in the storage peer", unit: "s", width: 8, noValue: "no requests",
			runbook: "GranaryHighLatency",
			about:   "Without the network and the client. Over five minutes.",
			queries: by(quantile("0.999", "operation", in(requestBuckets)), "{{operation}}"), steps: limits(0.5, 2)},
		{kind: heat, title: "Time of gets", unit: "s", width: 12, noValue: "no gets",
			about:   "How many frames with gets took how long in the storage peer.",
			queries: by(sumBy("le", in(requestBuckets, `operation="get"`)), "{{le}}")},
		{kind: lines, title: "Frames by kind", unit: "reqps", width: 12, noValue: "no requests",
			about:   "Operations divided by frames is the size of batches.",
			queries: by(sumBy("operation", rate(in("granary_storage_request_seconds_count"))), "{{operation}}")},
	}
}

func clusterMemory() []panel {
	return []panel{
		{kind: number, title: "Chunks", unit: "short", width: 6, noValue: "nobody tells",
			about:   "Chunks in the cluster, without their copies.",
			queries: one(sum(in("granary_storage_chunks"))), steps: neutral()},
		{kind: number, title: "Bookkeeping per chunk", unit: "bytes", width: 6, noValue: "no chunks",
			about:   "Bytes of tables, markers and lists for each chunk.",
			queries: one(sum(in("granary_storage_bookkeeping_bytes")) + " / " + sum(in("granary_storage_chunks")+" > 0")),
			steps:   good(4, 16)},
		{kind: number, title: "Names", unit: "short", width: 6, noValue: "nobody tells",
			about: "Names that stand for chunks.", queries: one(sum(in("granary_superpeer_names"))), steps: neutral()},
		{kind: number, title: "Locks held", unit: "short", width: 6, noValue: "nobody tells",
			about: "Locks that clients hold on chunks.", queries: one(sum(in("granary_superpeer_locks"))), steps: neutral()},
		{kind: lines, title: "Memory for chunks by peer", unit: "bytes", width: 8, noValue: "nobody tells",
			runbook: "GranaryMemoryNearlyFull",
			about:   "Used, beside the capacity of the largest peer.",
			queries: []query{{in("granary_storage_memory_used_bytes"), "{{pod}}"},
				{"max(" + in("granary_storage_memory_capacity_bytes") + ")", "capacity"}}},
		{kind: lines, title: "Payload and bookkeeping", unit: "bytes", width: 8, noValue: "nobody tells", stacked: true,
			about: "Of the whole cluster.",
			queries: []query{{sum(in("granary_storage_payload_bytes")), "payload"},
				{sum(in("granary_storage_bookkeeping_bytes")), "bookkeeping"}}},
		{kind: lines, title: "Chunks by peer", unit: "short", width: 8, noValue: "nobody tells",
			about:   "Uneven after a scale-out or a death is normal; the condition Balanced says when it is too much.",
			queries: by(in("granary_storage_chunks"), "{{pod}}")},
	}
}
