package main

// The operator's metrics about a resource have the resource's namespace, and name for its name.
func operator() board {
	resources := func(metric, matchers string) string { return metric + `{namespace=~"$namespace"` + matchers + `}` }
	process := func(metric string) string { return metric + `{component="operator"}` }
	return board{
		uid: "granary-operator", title: "Granary / Operator", fleet: true,
		about: "The operator and the resources that it looks after. Clusters serve without it; changes have no effect.",
		sections: []section{
			{"State", []panel{
				{kind: number, title: "Operators that lead", unit: "none", width: 6, noValue: "no operator tells",
					runbook: "GranaryOperatorNotReconciling",
					about:   "One leads, the others stand by.",
					queries: one("sum(granary_operator_leader)"), steps: atLeast(1)},
				{kind: number, title: "Resources", unit: "none", width: 6, noValue: "no operator tells",
					about: "Granary resources that are watched.", queries: one("max(granary_operator_resources)"), steps: neutral()},
				{kind: number, title: "Degraded resources", unit: "none", width: 6, noValue: "no operator tells", runbook: "GranaryDegraded",
					about:   "Resources whose condition Degraded is True.",
					queries: one("sum(" + resources("granary_operator_condition", `,type="Degraded",status="True"`) + ")"), steps: none(yellow)},
				{kind: number, title: "Longest without success", unit: "s", width: 6, noValue: "no operator tells",
					runbook: "GranaryOperatorNotReconciling",
					about:   "Of all resources, the longest time since one was reconciled without an error.",
					queries: one("max(time() - max by (namespace, name) (" + resources("granary_operator_last_success_timestamp_seconds", "") + "))"),
					steps:   good(120, 300)},
				{kind: rows, title: "Resources and their conditions", unit: "none", width: 24, noValue: "", opens: "granary-cluster",
					about: "One line each. The message of a condition is in kubectl describe gran.",
					queries: []query{
						{byCluster(resources("granary_operator_condition", `,type="Ready",status="True"`)), ""},
						{byCluster(resources("granary_operator_condition", `,type="Progressing",status="True"`)), ""},
						{byCluster(resources("granary_operator_condition", `,type="Degraded",status="True"`)), ""},
						{byCluster(resources("granary_operator_condition", `,type="MemoryPressure",status="True"`)), ""},
						{byCluster(resources("granary_operator_update_rolled_back", "")), ""},
						{byCluster(resources("granary_operator_stops_blocked", "")), ""},
						{"time() - " + byCluster(resources("granary_operator_last_success_timestamp_seconds", "")), ""},
					},
					columns: []column{
						{"Ready", "none", atLeast(1), yesNo}, {"Progressing", "none", none(blue), yesNo}, {"Degraded", "none", none(yellow), yesNo},
						{"Memory pressure", "none", none(yellow), yesNo}, {"Update rolled back", "none", none(yellow), yesNo},
						{"Stops blocked", "none", none(yellow), nil}, {"Last success", "s", good(120, 300), nil},
					}},
			}},
			{"Reconciles", []panel{
				{kind: lines, title: "Reconciles by outcome", unit: "ops", width: 8, noValue: "no operator tells",
					runbook: "GranaryOperatorNotReconciling",
					about:   "Of all resources.",
					queries: by(sumBy("outcome", rate(resources("granary_operator_reconciles_total", ""))), "{{outcome}}")},
				{kind: lines, title: "Failed reconciles by resource", unit: "none", width: 8, noValue: "no operator tells",
					runbook: "GranaryOperatorNotReconciling",
					about:   "A failure now and then is tried again; the API server may have been away.",
					queries: by(sumBy("namespace, name", "increase("+resources("granary_operator_reconciles_total", `,outcome="error"`)+"[$__rate_interval])"),
						"{{namespace}}/{{name}}"), steps: limits(1, 3)},
				{kind: lines, title: "Time of a reconcile", unit: "s", width: 8, noValue: "no reconciles",
					about: "Of all clusters of this operator. It is mostly waiting for the API server and for super-peers.",
					queries: []query{{"histogram_quantile(0.5, sum by (le) (rate(granary_operator_reconcile_seconds_bucket[$__rate_interval])))", "median"},
						{"histogram_quantile(0.99, sum by (le) (rate(granary_operator_reconcile_seconds_bucket[$__rate_interval])))", "99th percentile"}},
					steps: limits(2, 10)},
			}},
			{"Planned work", []panel{
				{kind: lines, title: "Stops that are blocked", unit: "none", width: 8, noValue: "no operator tells", runbook: "GranaryStopBlocked",
					about:   "Pods that are to go and cannot, because nobody has room for their chunks.",
					queries: by(resources("granary_operator_stops_blocked", ""), "{{namespace}}/{{name}}"), steps: limits(1, 1)},
				{kind: lines, title: "Updates that were rolled back", unit: "none", width: 8, noValue: "no operator tells",
					runbook: "GranaryUpdateRolledBack", max: 1,
					about:   "1 while all pods are back at the template that they had.",
					queries: by(resources("granary_operator_update_rolled_back", ""), "{{namespace}}/{{name}}"), words: yesNo},
				{kind: lines, title: "Clusters in progress", unit: "none", width: 8, noValue: "no operator tells",
					about:   "Resources that start, roll, scale or hand over.",
					queries: by("sum("+resources("granary_operator_condition", `,type="Progressing",status="True"`)+")", "in progress")},
			}},
			{"Process", []panel{
				{kind: lines, title: "Memory of the operator", unit: "bytes", width: 8, noValue: "no operator tells",
					about: "Resident memory.", queries: by(process("process_resident_memory_bytes"), "{{pod}}")},
				{kind: lines, title: "CPU of the operator", unit: "cores", width: 8, noValue: "no operator tells",
					about: "Cores in use.", queries: by(rate(process("process_cpu_seconds_total")), "{{pod}}")},
				{kind: lines, title: "Garbage collection of the operator", unit: "percentunit", width: 8, noValue: "no operator tells",
					about:   "Share of the time.",
					queries: by(sumBy("pod", rate(process("jvm_gc_collection_seconds_sum"))), "{{pod}}"), steps: limits(0.05, 0.2)},
			}},
		},
	}
}
