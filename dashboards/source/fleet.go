package main

// each selects a metric of all clusters in the chosen namespaces.
func each(metric string, matchers string) string {
	return metric + `{namespace=~"$namespace"` + matchers + `}`
}

// fillWithoutOne is how full the other storage peers would be without the largest.
func fillWithoutOne(grouping, used, capacity string) string {
	return "sum" + grouping + " (" + used + ") / (sum" + grouping + " (" + capacity + ") - max" + grouping + " (" + capacity + "))"
}

// A dead cluster has no series of its own; the operator still has the resource's conditions.
func fleet() board {
	used, capacity := each("granary_storage_memory_used_bytes", ""), each("granary_storage_memory_capacity_bytes", "")
	operations := each("granary_storage_operations_total", "")
	errors := each("granary_storage_operations_total", `,outcome="error"`)
	perCluster := []query{
		{byCluster(each("granary_operator_condition", `,type="Ready",status="True"`)), ""},
		{byCluster(each("granary_operator_condition", `,type="Degraded",status="True"`)), ""},
		{sumBy(eachOne, each("granary_superpeer_zones", `,state="lost"`)), ""},
		{sumBy(eachOne, each("granary_superpeer_zones", `,state="recovering"`)), ""},
		{sumBy(eachOne, used) + " / " + sumBy(eachOne, capacity), ""},
		{fillWithoutOne(" by (namespace, granary)", used, capacity), ""},
		{sumBy(eachOne, each("granary_superpeer_storage_peers", `,state="live"`)), ""},
		{sumBy(eachOne, each("granary_storage_chunks", "")), ""},
		{sumBy(eachOne, rate(operations)), ""},
		{sumBy(eachOne, rate(errors)) + " / " + sumBy(eachOne, rate(operations)), ""},
		{quantile("0.99", eachOne, each(requestBuckets, `,operation="get"`)), ""},
		{"time() - " + maxBy(eachOne, each("granary_operator_backup_last_success_timestamp_seconds", "")), ""},
	}
	return board{
		uid: "granary-fleet", title: "Granary / Fleet", fleet: true,
		about: "All clusters that this Prometheus sees, one line each. A click on a name opens the cluster.",
		sections: []section{
			{"Clusters", []panel{{
				kind: rows, title: "Clusters", width: 24, unit: "short", noValue: "", opens: "granary-cluster",
				about: "Ready and degraded are conditions of the resource. 'Full without one' is how full the others " +
					"would be after the death of the largest storage peer: above 95 % its zones would find no room. " +
					"'Last backup' is the age of the newest backup of a schedule, and empty without one.",
				queries: perCluster,
				columns: []column{
					{"Ready", "none", atLeast(1), yesNo}, {"Degraded", "none", none(yellow), yesNo},
					{"Zones lost", "none", none(red), nil}, {"Zones recovering", "none", none(yellow), nil},
					{"Full", "percentunit", good(0.85, 0.97), nil}, {"Full without one", "percentunit", good(0.8, 0.95), nil},
					{"Storage peers", "none", nil, nil}, {"Chunks", "short", nil, nil}, {"Operations", "ops", nil, nil},
					{"Errors", "percentunit", good(0.001, 0.01), nil}, {"p99 of gets", "s", good(0.02, 0.1), nil},
					{"Last backup", "s", good(26*3600, 8*86400), nil},
				},
			}}},
			{"Trouble", []panel{
				{kind: lines, title: "Zones lost", unit: "none", width: 8, noValue: "no cluster", runbook: "GranaryZonesLost",
					about:   "Zones of which no copy was left. Reads of their chunks answer \"lost\".",
					queries: by(sumBy(eachOne, each("granary_superpeer_zones", `,state="lost"`)), "{{namespace}}/{{granary}}"),
					steps:   limits(1, 1)},
				{kind: lines, title: "Zones without an owner", unit: "none", width: 8, noValue: "no cluster",
					runbook: "GranaryZonesRecovering",
					about:   "Their chunks are not served until a storage peer has recovered them, which takes seconds.",
					queries: by(sumBy(eachOne, each("granary_superpeer_zones", `,state="recovering"`)), "{{namespace}}/{{granary}}"),
					steps:   limits(1, 1)},
				{kind: lines, title: "Full if a storage peer dies", unit: "percentunit", width: 8, noValue: "no cluster",
					runbook: "GranaryNoHeadroom",
					about:   "How full the memory of the others would be after the death of the largest storage peer.",
					queries: by(fillWithoutOne(" by (namespace, granary)", used, capacity), "{{namespace}}/{{granary}}"),
					steps:   limits(0.8, 0.95)},
			}},
			{"Load", []panel{
				{kind: lines, title: "Operations by cluster", unit: "ops", width: 8, noValue: "no cluster",
					about:   "Chunks, not frames: a batch of a thousand counts a thousand.",
					queries: by(sumBy(eachOne, rate(operations)), "{{namespace}}/{{granary}}")},
				{kind: lines, title: "Errors by cluster", unit: "percentunit", width: 8, noValue: "no operations",
					runbook: "GranaryHighErrorRatio",
					about:   "Share of operations that ended with an error: a malformed request, or a peer that failed.",
					queries: by(sumBy(eachOne, rate(errors))+" / "+sumBy(eachOne, rate(operations)), "{{namespace}}/{{granary}}"),
					steps:   limits(0.001, 0.01)},
				{kind: lines, title: "Chunks by cluster", unit: "short", width: 8, noValue: "no cluster",
					about:   "Without their copies.",
					queries: by(sumBy(eachOne, each("granary_storage_chunks", "")), "{{namespace}}/{{granary}}")},
			}},
		},
	}
}
