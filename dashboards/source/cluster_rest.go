package main

func clusterRing() []panel {
	return []panel{
		{kind: lines, title: "Super-peers on the ring", unit: "none", width: 8, noValue: "no super-peer tells",
			runbook: "GranaryRingIncomplete",
			about:   "As each super-peer sees it, beside the number that belongs there.",
			queries: []query{{in("granary_superpeer_ring_size"), "{{pod}}"},
				{"max(" + in("granary_superpeer_ring_expected_size") + ")", "expected"}}},
		{kind: lines, title: "Epoch of the ring", unit: "none", width: 8, noValue: "no super-peer tells",
			about:   "It grows with every change of the ring. All super-peers should soon have the same.",
			queries: by(in("granary_superpeer_ring_epoch"), "{{pod}}")},
		{kind: lines, title: "Lookups by outcome", unit: "ops", width: 8, noValue: "no super-peer tells",
			about:   "Clients keep what they looked up: few lookups are a good sign, many redirects are not.",
			queries: by(sumBy("outcome", rate(in("granary_superpeer_lookups_total"))), "{{outcome}}")},
		{kind: lines, title: "Ranges", unit: "short", width: 8, noValue: "no super-peer tells",
			about:   "Ranges of chunks that the super-peers keep. They grow with moves, and merge again.",
			queries: by(in("granary_superpeer_ranges"), "{{pod}}")},
		{kind: lines, title: "Leases granted and expired", unit: "ops", width: 8, noValue: "no super-peer tells",
			runbook: "GranaryLeaseFlapping",
			about:   "A start takes a lease. A lease expires when a process dies, stands still, or is cut off.",
			queries: []query{{sum(rate(in("granary_superpeer_leases_granted_total"))), "granted"},
				{sum(rate(in("granary_superpeer_leases_expired_total"))), "expired"}}},
		{kind: lines, title: "Time left of each lease", unit: "s", width: 8, noValue: "no storage peer tells",
			runbook: "GranaryStoragePeerWithoutLease",
			about:   "A healthy peer renews long before its lease ends.",
			queries: by(in("granary_storage_lease_remaining_seconds"), "{{pod}}")},
		{kind: lines, title: "Valid leases", unit: "none", width: 8, noValue: "no storage peer tells", max: 1,
			runbook: "GranaryStoragePeerWithoutLease",
			about:   "1 while a storage peer may serve.",
			queries: by(in("granary_storage_lease_valid"), "{{pod}}"), words: yesNo},
		{kind: lines, title: "Storage peers by state", unit: "none", width: 8, noValue: "no super-peer tells", stacked: true,
			runbook: "GranaryStoragePeerGone",
			about:   "parked ones sleep; expired ones are missed; left ones were drained or replaced, and nobody misses them.",
			queries: by(sumBy("state", in("granary_superpeer_storage_peers")), "{{state}}")},
		{kind: lines, title: "Pauses of super-peers", unit: "none", width: 8, noValue: "no super-peer tells",
			about: "A super-peer that stood still waits for every lease in full again: nobody is declared dead for one " +
				"lease. Its processor or its machine is too busy.",
			queries: by(maxBy("pod", "increase("+in("granary_superpeer_pauses_total")+"[$__rate_interval])"), "{{pod}}"),
			steps:   limits(1, 3)},
	}
}

func clusterNames() []panel {
	return []panel{
		{kind: lines, title: "Names by super-peer", unit: "short", width: 8, noValue: "no super-peer tells",
			about:   "Names of chunks in each arc.",
			queries: by(in("granary_superpeer_names"), "{{pod}}")},
		{kind: lines, title: "Changes of names that no storage peer has", unit: "none", width: 8, noValue: "no super-peer tells",
			about:   "Storage peers keep copies of names, for the case that all super-peers of an arc lose their disks.",
			queries: by(in("granary_superpeer_name_changes_unsaved"), "{{pod}}"), steps: limits(1000, 100000)},
		{kind: lines, title: "Locks by super-peer", unit: "short", width: 8, noValue: "no super-peer tells",
			about:   "Locks that clients hold on chunks of each arc.",
			queries: by(in("granary_superpeer_locks"), "{{pod}}")},
	}
}

func clusterProcesses() []panel {
	return []panel{
		{kind: lines, title: "Loops that stand still", unit: "s", width: 8, noValue: "nobody tells",
			runbook: "GranaryLoopStandsStill",
			about:   "For how long a round of repeated work should have ended, by process. 0 in a healthy one.",
			queries: by(maxBy("pod", in("granary_loop_overdue_seconds")), "{{pod}}"), steps: limits(5, 15)},
		{kind: lines, title: "Failures of loops", unit: "none", width: 8, noValue: "nobody tells",
			runbook: "GranaryLoopFailing",
			about:   "Rounds that threw something. Each is a bug or a sign of exhaustion; the log has the exception.",
			queries: by(sumBy("pod", "increase("+in("granary_loop_failures_total")+"[$__rate_interval])"), "{{pod}}"),
			steps:   limits(1, 3)},
		{kind: lines, title: "Fullest share of memory beside the chunks", unit: "percentunit", width: 8, noValue: "nobody tells",
			about: "The fullest share of each process's memory plan. copy-log-index and completed-requests fill up in " +
				"time and stay full, so they are left out.",
			queries: by(maxBy("pod", in("granary_memory_plan_used_bytes", `share!~"copy-log-index|completed-requests"`)+
				" / "+in("granary_memory_plan_limit_bytes")), "{{pod}}"), steps: limits(0.75, 0.9)},
		{kind: lines, title: "Resident memory", unit: "bytes", width: 8, noValue: "nobody tells",
			about:   "Of the whole process.",
			queries: by(in("process_resident_memory_bytes"), "{{pod}}")},
		{kind: lines, title: "CPU", unit: "cores", width: 8, noValue: "nobody tells",
			about:   "Cores in use.",
			queries: by(rate(in("process_cpu_seconds_total")), "{{pod}}")},
		{kind: lines, title: "Time in garbage collection", unit: "percentunit", width: 8, noValue: "nobody tells",
			about:   "Share of the time. Chunks are not on the heap, so it should be next to nothing.",
			queries: by(sumBy("pod", rate(in("jvm_gc_collection_seconds_sum"))), "{{pod}}"), steps: limits(0.05, 0.2)},
		{kind: lines, title: "Connections", unit: "short", width: 8, noValue: "nobody tells",
			about:   "Accepted connections of nodes and clients that are open. listen.connections bounds them.",
			queries: by(in("granary_connections"), "{{pod}}")},
		{kind: lines, title: "Refused connections", unit: "none", width: 8, noValue: "nobody tells",
			about: "all and address: there were too many, of all or of one address. silent: no hello came in five " +
				"seconds. frame: something else came. tls: the handshake failed.",
			queries: by(sumBy("reason", "increase("+in("granary_connections_refused_total")+"[$__rate_interval])"), "{{reason}}"),
			steps:   limits(10, 1000)},
		{kind: lines, title: "Denied requests", unit: "none", width: 8, noValue: "nobody tells",
			about: "role: a caller asked for what its role may not ask for. proof: a caller did not prove that it has the " +
				"cluster's secret. The log of the process says who, and for what.",
			queries: by(sumBy("reason", "increase("+in("granary_requests_denied_total")+"[$__rate_interval])"), "{{reason}}"),
			steps:   limits(1, 100)},
		{kind: lines, title: "Refused at the HTTP ports", unit: "none", width: 8, noValue: "nobody tells",
			about: "unproved: neither a certificate that is enough nor a password; a browser asks so once. password and " +
				"guesses: wrong passwords. permission: the user lacks granary.status. tls: the handshake failed. " +
				"request: no request of HTTP that is taken. connections: there were too many.",
			queries: by(sumBy("reason", "increase("+in("granary_http_refused_total")+"[$__rate_interval])"), "{{reason}}"),
			steps:   limits(10, 100)},
		{kind: lines, title: "Certificates", unit: "s", width: 8, noValue: "no process with TLS tells",
			runbook: "GranaryCertificateExpiresSoon",
			about: "How long certificates of TLS last. The operator renews its own when a third of their time is left. " +
				"Files that change are taken within seconds.",
			queries: []query{{in("granary_tls_certificate_expiry_seconds"), "{{pod}} has left"},
				{in("granary_tls_certificate_lifetime_seconds"), "{{pod}} in all"}}},
		{kind: lines, title: "Changed files of TLS", unit: "none", width: 8, noValue: "no process with TLS tells",
			about: "taken: new connections have the new certificates. refused: the files are no good, and the former " +
				"ones go on.",
			queries: by(sumBy("outcome", in("granary_tls_reloads_total")), "{{outcome}}")},
		{kind: lines, title: "Revoked certificates", unit: "none", width: 8, noValue: "no process with TLS tells",
			about: "How many certificates the revocation lists of each process name. Processes that differ for more " +
				"than a few seconds have not read the same lists.",
			queries: by(in("granary_tls_revoked_certificates"), "{{pod}}")},
		{kind: lines, title: "Next revocation list", unit: "s", width: 8, noValue: "no process with revocation lists tells",
			about: "After how long a new revocation list is due. Negative: it is late. A late list goes on to count, " +
				"and new revocations do not reach the processes.",
			queries: by(in("granary_tls_revocation_update_seconds"), "{{pod}}")},
		{kind: lines, title: "Uptime", unit: "s", width: 8, noValue: "nobody tells",
			about:   "A drop to zero is a restart. Other storage peers have taken the chunks over from their copies.",
			queries: by("time() - "+in("process_start_time_seconds"), "{{pod}}")},
		{kind: lines, title: "Versions", unit: "none", width: 8, noValue: "nobody tells", stacked: true,
			runbook: "GranaryImageOutdated",
			about:   "Processes by version: two of them during an update.",
			queries: by(`count by (version) ({__name__=~"granary_storage_info|granary_superpeer_info",`+ofCluster+`})`,
				"{{version}}")},
		{kind: lines, title: "Runs that others ended", unit: "none", width: 8, noValue: "no storage peer tells",
			about: "Others had taken the place of this storage peer, so it began anew in the same process: it stood " +
				"still or was cut off for longer than its lease.",
			queries: by(in("granary_storage_incarnations_ended_total"), "{{pod}}")},
	}
}

func clusterOperator() []panel {
	return []panel{
		{kind: lines, title: "Reconciles of this cluster", unit: "ops", width: 8, noValue: "no operator tells",
			runbook: "GranaryOperatorNotReconciling",
			about:   "A cluster at rest is looked at seldom.",
			queries: by("sum by (outcome) (rate(granary_operator_reconciles_total{"+ofResource+"}[$__rate_interval]))", "{{outcome}}")},
		{kind: lines, title: "Time since the last success", unit: "s", width: 8, noValue: "no operator tells",
			runbook: "GranaryOperatorNotReconciling",
			about:   "More than a few minutes mean that nobody looks after this cluster.",
			queries: by("time() - max(granary_operator_last_success_timestamp_seconds{"+ofResource+"})", "since"),
			steps:   limits(120, 300)},
		{kind: lines, title: "Conditions that hold", unit: "none", width: 8, noValue: "no operator tells", max: 1,
			runbook: "GranaryDegraded",
			about:   "1 while a condition of the resource is True. Degraded and MemoryPressure should not be.",
			queries: by(`max by (type) (granary_operator_condition{`+ofResource+`,status="True"})`, "{{type}}"), words: yesNo},
	}
}
