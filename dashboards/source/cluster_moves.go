package main

func clusterMoves() []panel {
	return []panel{
		{kind: lines, title: "Plans that run", unit: "none", width: 8, noValue: "no super-peer tells", stacked: true,
			about: "drain: everything leaves a storage peer, as when the cluster shrinks. spread: a new storage peer gets its " +
				"share. move: somebody asked for it.",
			queries: by(sumBy("kind", in("granary_superpeer_plans_running")), "{{kind}}")},
		{kind: lines, title: "Plans that have ended", unit: "none", width: 8, noValue: "no super-peer tells",
			about:   "By kind and outcome. granary plan show says why one has failed.",
			queries: by(sumBy("kind, outcome", "increase("+in("granary_superpeer_plans_total")+"[$__rate_interval])"), "{{kind}} {{outcome}}")},
		{kind: lines, title: "Bytes that plans have still to move", unit: "bytes", width: 8, noValue: "no super-peer tells",
			about:   "As planned. It should fall while a plan runs; where it stands still, nobody has room or answers.",
			queries: by(sum(in("granary_superpeer_plan_pending_bytes")), "bytes")},
		{kind: lines, title: "Moves and migrations that run", unit: "none", width: 8, noValue: "nobody tells",
			about: "Moves are parts of plans that have not ended. Each is carried out by a migration, which the storage " +
				"peers at both ends count, too.",
			queries: []query{{sum(in("granary_superpeer_plan_moves_pending")), "moves to be done"},
				{sum(in("granary_superpeer_migrations_running")), "migrations"},
				{sumBy("direction", in("granary_storage_migrations_running")), "at storage peers, {{direction}}"}}},
		{kind: lines, title: "Migrations by outcome", unit: "none", width: 8, noValue: "no storage peer tells",
			about: "arrived and left: another storage peer owns the chunks now. dropped and kept: the former owner has them, " +
				"as the other side had no room or did not answer. They are tried again.",
			queries: by(sumBy("outcome", "increase("+in("granary_storage_migrations_total")+"[$__rate_interval])"), "{{outcome}}")},
		{kind: lines, title: "Bytes moved", unit: "Bps", width: 8, noValue: "no storage peer tells",
			about:   "Bytes of chunks that migrations bring to a storage peer (in) and send (out).",
			queries: by(sumBy("pod, direction", rate(in("granary_storage_migrated_bytes_total"))), "{{pod}} {{direction}}")},
		{kind: lines, title: "Chunks moved", unit: "ops", width: 8, noValue: "no storage peer tells",
			about:   "A chunk that changes while it moves goes again.",
			queries: by(sumBy("pod, direction", rate(in("granary_storage_migrated_chunks_total"))), "{{pod}} {{direction}}")},
	}
}

func clusterRaft() []panel {
	return []panel{
		{kind: lines, title: "Raft groups by role", unit: "none", width: 8, noValue: "no super-peer tells",
			runbook: "GranaryRingIncomplete",
			about: "The ring and each arc are one Raft group. Each has one leader; leaderless ones can commit nothing, and " +
				"an election should end that within seconds.",
			queries: by(sumBy("group, role", in("granary_superpeer_raft_groups")), "{{group}} {{role}}")},
		{kind: lines, title: "Changes of leaders", unit: "none", width: 8, noValue: "no super-peer tells",
			about: "As each super-peer sees it. Many without a restart: super-peers stand still, or their network or disks " +
				"are slow.",
			queries: by(sumBy("pod, group", "increase("+in("granary_superpeer_raft_leader_changes_total")+"[$__rate_interval])"),
				"{{pod}} {{group}}"), steps: limits(3, 10)},
		{kind: lines, title: "Time of a commit", unit: "s", width: 8, noValue: "no commands",
			about: "From when a leader proposes a command until a majority has it on disk and it is applied. Leases, names and " +
				"locks wait for it.",
			queries: []query{
				{quantile("0.5", "", rate(in("granary_superpeer_raft_commit_seconds_bucket"))), "median"},
				{quantile("0.99", "", rate(in("granary_superpeer_raft_commit_seconds_bucket"))), "99th percentile"}},
			steps: limits(0.1, 1)},
		{kind: lines, title: "Commands applied", unit: "ops", width: 8, noValue: "no super-peer tells",
			about:   "By each super-peer: all members of a group apply the same commands.",
			queries: by(sumBy("pod, group", rate(in("granary_superpeer_raft_commands_total"))), "{{pod}} {{group}}")},
		{kind: lines, title: "Bytes of Raft logs and snapshots", unit: "bytes", width: 8, noValue: "no super-peer tells",
			about: "A log grows until a snapshot takes its place. A snapshot grows with names, locks, zones and ranges.",
			queries: []query{{sumBy("pod, group", in("granary_superpeer_raft_log_bytes")), "{{pod}} {{group}} log"},
				{sumBy("pod, group", in("granary_superpeer_raft_snapshot_bytes")), "{{pod}} {{group}} snapshot"}}},
		{kind: lines, title: "Snapshots", unit: "none", width: 8, noValue: "no super-peer tells",
			about: "Taken: after a number of commands. Installed: at a start, or when the member had been away for so long " +
				"that the leader's log no longer had what it lacked.",
			queries: []query{
				{sumBy("pod", "increase("+in("granary_superpeer_raft_snapshots_total")+"[$__rate_interval])"), "{{pod}} taken"},
				{sumBy("pod", "increase("+in("granary_superpeer_raft_snapshots_installed_total")+"[$__rate_interval])"), "{{pod}} installed"}}},
	}
}

func clusterNetwork() []panel {
	return []panel{
		{kind: lines, title: "Received by process", unit: "Bps", width: 6, noValue: "nobody tells",
			about:   "Bytes of frames of the binary protocol, from nodes and clients. Redis clients are on the dashboard Redis.",
			queries: by(sumBy("pod", rate(in("granary_network_received_bytes_total"))), "{{pod}}")},
		{kind: lines, title: "Sent by process", unit: "Bps", width: 6, noValue: "nobody tells",
			about:   "Bytes of frames of the binary protocol, to nodes and clients.",
			queries: by(sumBy("pod", rate(in("granary_network_sent_bytes_total"))), "{{pod}}")},
		{kind: lines, title: "Frames received by process", unit: "ops", width: 6, noValue: "nobody tells",
			about:   "One frame carries a request or a reply, for one chunk or thousands.",
			queries: by(sumBy("pod", rate(in("granary_network_received_frames_total"))), "{{pod}}")},
		{kind: lines, title: "Frames sent by process", unit: "ops", width: 6, noValue: "nobody tells",
			about:   "Many small frames cost more processor time than few large ones.",
			queries: by(sumBy("pod", rate(in("granary_network_sent_frames_total"))), "{{pod}}")},
	}
}
