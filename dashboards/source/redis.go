package main

// Of the doors, and of the keys behind them. A door serves keys of all storage peers; the keys of a peer are those that
// it owns.
func redis() board {
	reads := sum(rate(at("granary_redis_key_hits_total"))) + " + " + sum(rate(at("granary_redis_key_misses_total")))
	return board{
		uid: "granary-redis", title: "Granary / Redis", perPod: true,
		about: "Clients of Redis, their commands, and the keys. Empty where storage peers have no door (spec.redis).",
		sections: []section{
			{"State", []panel{
				{kind: number, title: "Clients", unit: "none", width: 4, noValue: "no storage peer has a door",
					about:   "Redis clients that are connected to any door.",
					queries: one(sum(at("granary_redis_connections"))), steps: neutral()},
				{kind: number, title: "Commands", unit: "ops", width: 5, noValue: "no storage peer has a door",
					about:   "Requests of Redis clients that were carried out.",
					queries: one(sum(rate(at("granary_redis_commands_total")))), steps: neutral()},
				{kind: number, title: "99th percentile", unit: "s", width: 5, noValue: "no requests",
					runbook: "GranaryHighLatency",
					about:   "From when a request begins until its reply, in the door: without the network and the client.",
					queries: one(quantile("0.99", "", rate(at("granary_redis_request_seconds_bucket")))), steps: good(0.1, 1)},
				{kind: number, title: "Keys", unit: "short", width: 5, noValue: "no storage peer has a door",
					about: "Keys of all slot groups.", queries: one(sum(at("granary_redis_keys"))), steps: neutral()},
				{kind: number, title: "Hit ratio", unit: "percentunit", width: 5, noValue: "no reads",
					about:   "Share of reads whose key was there.",
					queries: one(sum(rate(at("granary_redis_key_hits_total"))) + " / (" + reads + ")"), steps: neutral()},
			}},
			{"Clients", []panel{
				{kind: lines, title: "Clients of a door", unit: "none", width: 8, noValue: "no storage peer has a door",
					about:   "Connected clients. A door refuses more than spec.redis.maxClients.",
					queries: by(at("granary_redis_connections"), "{{pod}}")},
				{kind: lines, title: "Connections", unit: "ops", width: 8, noValue: "no storage peer has a door",
					runbook: "GranaryRedisClientsRefused",
					about: "Opened, and refused because the door has too many clients. " +
						"Many opened by few clients: their application has no pool.",
					queries: []query{{sumBy("pod", rate(at("granary_redis_connections_opened_total"))), "{{pod}} opened"},
						{sumBy("pod", rate(at("granary_redis_connections_refused_total"))), "{{pod}} refused"}}},
				{kind: lines, title: "Connections that were closed", unit: "ops", width: 8, noValue: "no storage peer has a door",
					about: "By reason. Slow clients take no replies, memory is that of all clients together, " +
						"protocol is a client that speaks another protocol.",
					queries: by(sumBy("reason", rate(at("granary_redis_connections_closed_total"))), "{{reason}}")},
				{kind: lines, title: "Traffic of a door", unit: "bytes", width: 8, noValue: "no storage peer has a door",
					about: "Bytes a second from clients and to them.",
					queries: []query{{sumBy("pod", rate(at("granary_redis_received_bytes_total"))), "{{pod}} received"},
						{sumBy("pod", rate(at("granary_redis_sent_bytes_total"))), "{{pod}} sent"}}},
				{kind: lines, title: "Bytes held for clients", unit: "bytes", width: 8, noValue: "no storage peer has a door",
					about: "Requests and replies that are in a door. Above a sixteenth of direct memory, 256 MiB at most, " +
						"clients that hold much are closed. Values of chunks on their way to and from their owners: " +
						"above an eighth of the heap, 256 MiB at most, requests for chunks are refused.",
					queries: []query{{at("granary_redis_held_bytes"), "{{pod}}"}, {at("granary_redis_chunk_bytes"), "{{pod}} chunks"}}},
				{kind: lines, title: "Notices of maintenance", unit: "ops", width: 8, noValue: "no storage peer has a door",
					about: "Notices to clients that asked for them. Moving: the storage peer ends, and its clients go to others. " +
						"Smigrating and smigrated: a slot group begins to leave the peer, and has left.",
					queries: by(sumBy("kind", rate(at("granary_redis_notices_total"))), "{{kind}}")},
			}},
			{"Commands", []panel{
				{kind: lines, title: "Commands by kind", unit: "ops", width: 8, noValue: "no requests",
					about:   "Requests that were carried out, by command.",
					queries: by(sumBy("command", rate(at("granary_redis_commands_total"))), "{{command}}")},
				{kind: lines, title: "Requests that did not go well", unit: "ops", width: 8, noValue: "no storage peer has a door",
					about: "Failed were answered by an error; refused were not begun: wrong arguments, or a slot group " +
						"without an owner for a moment. Unknown are commands that there are not. Denied are those that their " +
						"users may not make, and wrong passwords (auth).",
					queries: []query{{sumBy("pod, outcome", rate(at("granary_redis_requests_total", `outcome!="done"`))), "{{pod}} {{outcome}}"},
						{sumBy("pod", rate(at("granary_redis_unknown_commands_total"))), "{{pod}} unknown command"},
						{sumBy("pod, reason", rate(at("granary_redis_denials_total"))), "{{pod}} denied: {{reason}}"}}},
				{kind: lines, title: "99th percentile by door", unit: "s", width: 8, noValue: "no requests",
					runbook: "GranaryHighLatency",
					about:   "From when a request begins until its reply.",
					queries: by(quantile("0.99", "pod", rate(at("granary_redis_request_seconds_bucket"))), "{{pod}}"),
					steps:   limits(0.1, 1)},
				{kind: lines, title: "Mean time by command", unit: "s", width: 8, noValue: "no requests",
					about: "Time that requests took, divided by their number.",
					queries: by(sumBy("command", rate(at("granary_redis_command_seconds_total")))+" / "+
						sumBy("command", rate(at("granary_redis_commands_total"))), "{{command}}")},
				{kind: lines, title: "Requests of a call", unit: "none", width: 8, noValue: "no requests",
					about: "How many requests of a pipeline go to a slot group together. Clients without pipelines have one.",
					queries: by(sumBy("pod", rate(at("granary_redis_group_requests_total")))+" / "+
						sumBy("pod", rate(at("granary_redis_group_calls_total"))), "{{pod}}")},
				{kind: lines, title: "Redirects", unit: "ops", width: 8, noValue: "no storage peer has a door",
					about: "Requests that were answered MOVED. Many for a long time: clients do not learn the owners, " +
						"or cannot reach what is announced to them.",
					queries: by(sumBy("pod", rate(at("granary_redis_redirects_total"))), "{{pod}}")},
			}},
			{"Keys", []panel{
				{kind: lines, title: "Keys of a peer", unit: "short", width: 8, noValue: "no storage peer has a door",
					about:   "Keys in the slot groups that it owns, and those of them that have a time at which they expire.",
					queries: []query{{at("granary_redis_keys"), "{{pod}}"}, {at("granary_redis_expiring_keys"), "{{pod}} expiring"}}},
				{kind: lines, title: "Keys that expired or were evicted", unit: "ops", width: 8, noValue: "no storage peer has a door",
					about: "Keys a second that were removed because their time had come, or to make way for others. " +
						"None is evicted with the policy noeviction.",
					queries: []query{{sumBy("pod", rate(at("granary_redis_expired_keys_total"))), "{{pod}} expired"},
						{sumBy("pod", rate(at("granary_storage_evicted_keys_total"))), "{{pod}} evicted"}}},
				{kind: lines, title: "Reads of keys", unit: "ops", width: 8, noValue: "no storage peer has a door",
					about: "Of keys that were there, and of keys that were not.",
					queries: []query{{sum(rate(at("granary_redis_key_hits_total"))), "hits"},
						{sum(rate(at("granary_redis_key_misses_total"))), "misses"}}},
				{kind: lines, title: "Memory of keys", unit: "percentunit", width: 8, noValue: "no storage peer tells", max: 1,
					about: "Share of what keys, their index and what is beside them may take (redis.maxmemory). " +
						"When it is full, keys are evicted, or refused with OOM.",
					queries: by(at("granary_storage_keyed_used_bytes")+" / "+at("granary_storage_keyed_limit_bytes"), "{{pod}}"),
					steps:   limits(0.9, 0.99)},
				{kind: lines, title: "Memory for indexes of keys", unit: "percentunit", width: 8, noValue: "no storage peer tells", max: 1,
					about: "How full the share key-index of the memory plan is. When it is full, new keys are refused with OOM.",
					queries: by(maxBy("pod", at("granary_memory_plan_used_bytes", `share="key-index"`)+" / "+
						at("granary_memory_plan_limit_bytes")), "{{pod}}"), steps: limits(0.75, 0.9)},
				{kind: lines, title: "Memory for chunks and keys", unit: "percentunit", width: 8, noValue: "no storage peer tells", max: 1,
					runbook: "GranaryMemoryNearlyFull",
					about:   "Share that is in use. A key with its value is a chunk. When it is full, new keys are refused with OOM.",
					queries: by(at("granary_storage_memory_used_bytes")+" / "+at("granary_storage_memory_capacity_bytes"), "{{pod}}"),
					steps:   limits(0.85, 0.97)},
			}},
		},
	}
}
