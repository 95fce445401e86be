package main

func replication() board {
	return board{
		uid: "granary-replication", title: "Granary / Replication and recovery", perPod: true,
		about: "Copies of zones, how fast changes reach them, and what happens to zones whose owner has died.",
		sections: []section{
			{"Zones", zonePanels()},
			{"Replication", replicationPanels()},
			{"Recovery", recoveryPanels()},
		},
	}
}

func zonePanels() []panel {
	return []panel{
		{kind: number, title: "Zones with all their copies", unit: "none", width: 6, noValue: "no super-peer tells",
			about:   "A zone is the unit of copying: some two million chunks of one storage peer.",
			queries: one(sum(in("granary_superpeer_zones", `state="in_sync"`))), steps: neutral()},
		{kind: number, title: "Zones with fewer copies", unit: "none", width: 6, noValue: "no super-peer tells",
			runbook: "GranaryCopiesMissing",
			about:   "They are served. New copies are being filled, or there is nobody to take them.",
			queries: one(sum(in("granary_superpeer_zones", `state="degraded"`))), steps: none(yellow)},
		{kind: number, title: "Zones without an owner now", unit: "none", width: 6, noValue: "no super-peer tells",
			runbook: "GranaryZonesRecovering",
			about:   "Their chunks are not served until a storage peer has recovered them.",
			queries: one(sum(in("granary_superpeer_zones", `state="recovering"`))), steps: none(yellow)},
		{kind: number, title: "Zones without a copy", unit: "none", width: 6, noValue: "no super-peer tells",
			runbook: "GranaryZonesLost",
			about:   "Lost: reads of their chunks answer \"lost\".",
			queries: one(sum(in("granary_superpeer_zones", `state="lost"`))), steps: none(red)},
		{kind: lines, title: "Zones by state", unit: "none", width: 8, noValue: "no super-peer tells", stacked: true,
			runbook: "GranaryCopiesMissing",
			about:   "A death turns zones from in_sync to recovering, then to degraded, and back to in_sync.",
			queries: by(sumBy("state", in("granary_superpeer_zones")), "{{state}}")},
		{kind: lines, title: "Zones that refuse writes, by owner", unit: "none", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryWritesRefused",
			about:   "They have fewer copies than the floor: one less than wanted, and at least one.",
			queries: by(at("granary_storage_zones_below_floor"), "{{pod}}"), steps: limits(1, 1)},
		{kind: lines, title: "Requests refused for want of copies", unit: "reqps", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryWritesRefused",
			about:   "A zone had too few copies, or its backups did not keep up. Clients ask again.",
			queries: by(rate(at("granary_storage_refused_below_floor_total")), "{{pod}}"), steps: limits(1, 100)},
		{kind: lines, title: "Numbers for zones that are left", unit: "none", width: 8, noValue: "no super-peer tells",
			about:   "The fewest zones that a storage peer can still have for its chunks.",
			queries: by("min("+in("granary_superpeer_zone_numbers_left")+")", "fewest")},
		{kind: lines, title: "Copies on each peer", unit: "none", width: 8, noValue: "no storage peer tells",
			about:   "Copies of others' zones. They are spread over nodes and failure zones.",
			queries: by(at("granary_backup_copies"), "{{pod}}")},
		{kind: lines, title: "Copies filled", unit: "none", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryCopiesMissing",
			about:   "New copies on backups that were filled from their owners.",
			queries: by("increase("+at("granary_storage_copies_filled_total")+"[$__rate_interval])", "{{pod}}")},
	}
}

func replicationPanels() []panel {
	return []panel{
		{kind: lines, title: "99th percentile until a backup answers", unit: "s", width: 8, noValue: "no changes",
			runbook: "GranaryReplicationLag",
			about:   "From a request to a backup to its answer, or until it was given up. Over five minutes. Writes wait for it.",
			queries: []query{{quantile("0.5", "", in(replicationBuckets)), "median"},
				{quantile("0.99", "", in(replicationBuckets)), "99th percentile"},
				{quantile("0.999", "", in(replicationBuckets)), "99.9th percentile"}},
			steps: limits(0.05, 0.15)},
		{kind: lines, title: "Changes that not all backups have", unit: "bytes", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryReplicationLag",
			about:   "The lag of each owner. It should fall to next to nothing when writes pause.",
			queries: by(at("granary_storage_replication_pending_bytes"), "{{pod}}")},
		{kind: lines, title: "Sent to backups", unit: "Bps", width: 8, noValue: "no storage peer tells",
			about:   "Bytes of changes, once for each backup.",
			queries: by(rate(at("granary_storage_replication_bytes_total")), "{{pod}}")},
		{kind: lines, title: "Requests to backups", unit: "reqps", width: 8, noValue: "no storage peer tells",
			about:   "One request takes the changes of many clients.",
			queries: by(rate(at("granary_storage_replication_requests_total")), "{{pod}}")},
		{kind: lines, title: "Parts of changes, by what became of them", unit: "ops", width: 8, noValue: "no storage peer tells",
			about: "As backups answer. Anything but ok in large numbers: owners and backups do not agree, a backup " +
				"is too busy, or its disk is full.",
			queries: by(sumBy("result", rate(at("granary_backup_parts_total"))), "{{result}}")},
		{kind: lines, title: "Answers held for copies", unit: "bytes", width: 8, noValue: "no storage peer tells",
			about:   "Bytes of answers that wait until all backups have the changes that they show.",
			queries: by(at("granary_storage_held_reply_bytes"), "{{pod}}")},
	}
}

func recoveryPanels() []panel {
	return []panel{
		{kind: lines, title: "Recoveries that run", unit: "none", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryZonesRecovering",
			about:   "Zones that each storage peer is recovering now.",
			queries: by(at("granary_recovery_running"), "{{pod}}")},
		{kind: lines, title: "Zones recovered, by outcome", unit: "none", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryZonesRecovering",
			about: "no_room: the memory of this peer is full, and another one is asked. damaged and unreadable: this copy " +
				"cannot be read, and another one is taken.",
			queries: by(sumBy("outcome", "increase("+at("granary_recovery_zones_total")+"[$__rate_interval])"), "{{outcome}}")},
		{kind: lines, title: "Time without an owner", unit: "s", width: 8, noValue: "no zone was without an owner",
			runbook: "GranaryZonesRecovering",
			about:   "From when a zone was without an owner until it had the next one: what clients notice of a death.",
			queries: []query{
				{quantile("0.5", "", "increase("+in("granary_superpeer_recovery_seconds_bucket")+"[$__range])"), "median"},
				{quantile("0.99", "", "increase("+in("granary_superpeer_recovery_seconds_bucket")+"[$__range])"), "99th percentile"}},
			steps: limits(5, 30)},
		{kind: lines, title: "Chunks recovered", unit: "ops", width: 8, noValue: "no storage peer tells",
			about:   "Chunks that are replayed into memory, each second.",
			queries: by(rate(at("granary_recovery_chunks_total")), "{{pod}}")},
		{kind: lines, title: "Bytes recovered", unit: "Bps", width: 8, noValue: "no storage peer tells",
			about:   "Of these chunks.",
			queries: by(rate(at("granary_recovery_bytes_total")), "{{pod}}")},
		{kind: lines, title: "Threads at recoveries", unit: "none", width: 8, noValue: "no storage peer tells",
			about:   "Threads that replay chunks into memory.",
			queries: by(rate(at("granary_recovery_replay_seconds_total")), "{{pod}}")},
	}
}
