package main

import "strings"

// selectors of one cluster, in PromQL with Grafana's variables.
const (
	ofCluster  = `namespace="$namespace",granary="$granary"`
	ofPod      = ofCluster + `,pod=~"$pod"`
	ofResource = `namespace="$namespace",name="$granary"`
	eachOne    = "namespace, granary"
)

// in selects a metric of the cluster. Further matchers, as state="live", may follow.
func in(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append([]string{ofCluster}, matchers...), ",") + "}"
}

// at selects a metric of the chosen pods.
func at(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append([]string{ofPod}, matchers...), ",") + "}"
}

func sum(expr string) string { return "sum(" + expr + ")" }

func sumBy(labels, expr string) string { return "sum by (" + labels + ") (" + expr + ")" }

func maxBy(labels, expr string) string { return "max by (" + labels + ") (" + expr + ")" }

func rate(selector string) string { return "rate(" + selector + "[$__rate_interval])" }

// quantile of a recorded histogram (dashboards/rules.yaml), by these labels beside le.
func quantile(q, labels, selector string) string {
	grouping := "le"
	if labels != "" {
		grouping += ", " + labels
	}
	return "histogram_quantile(" + q + ", sum by (" + grouping + ") (" + selector + "))"
}

// byCluster gives a metric of the operator the label granary, which there is called name.
func byCluster(expr string) string {
	return `label_replace(max by (namespace, name) (` + expr + `), "granary", "$1", "name", "(.+)")`
}

const (
	requestBuckets     = "cluster:granary_storage_request_seconds_bucket:rate5m"
	replicationBuckets = "cluster:granary_storage_replication_seconds_bucket:rate5m"
)
