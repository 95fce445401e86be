package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// What dashboards have around their panels: variables, annotations, links.

const (
	// The same address stands in dashboards/alerts.yaml; the chart's value runbooks.url replaces both.
	runbooks = "https://github.com/granary-dev/granary/blob/main/dashboards/runbooks/"
	guide    = "https://github.com/granary-dev/granary/blob/main/docs/guides/monitoring.md"

	// Both kinds of peers: with all super-peers down the cluster can be chosen nevertheless.
	anyPeer = `{__name__=~"granary_superpeer_ring_size|granary_storage_lease_valid"`
)

func variables(b board) []cog.Builder[dashboard.VariableModel] {
	made := []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"),
	}
	if b.fleet {
		return append(made, choice("namespace", "Namespace", "label_values("+anyPeer+"}, namespace)").
			Multi(true).IncludeAll(true).AllValue(".*"))
	}
	made = append(made,
		choice("namespace", "Namespace", "label_values("+anyPeer+"}, namespace)"),
		choice("granary", "Cluster", "label_values("+anyPeer+`,namespace="$namespace"}, granary)`))
	if b.perPod {
		made = append(made, choice("pod", "Pod", "label_values("+anyPeer+`,`+ofCluster+`}, pod)`).
			Multi(true).IncludeAll(true).AllValue(".*"))
	}
	return made
}

func choice(name, label, values string) *dashboard.QueryVariableBuilder {
	return dashboard.NewQueryVariableBuilder(name).Label(label).Datasource(source).
		Query(dashboard.StringOrMap{Map: map[string]any{"query": values, "refId": name}}).Definition(values).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc)
}

func annotations(b board) []cog.Builder[dashboard.AnnotationQuery] {
	scope, resource := ofCluster, ofResource
	if b.fleet {
		scope, resource = `namespace=~"$namespace"`, `namespace=~"$namespace"`
	}
	return []cog.Builder[dashboard.AnnotationQuery]{
		// Grafana makes one region of the points that follow each other.
		note("Rolls and scaling", blue, `granary_operator_condition{`+resource+`,type="Progressing",status="True"} == 1`,
			"{{namespace}}/{{name}} is progressing"),
		note("Storage peers missed", red,
			`sum by (namespace, granary) (granary_superpeer_storage_peers{`+scope+`,state="expired"}) > 0`,
			"a storage peer of {{namespace}}/{{granary}} is missed"),
		note("Starts", "purple", `process_start_time_seconds{`+scope+`} * 1000`, "{{pod}} started").UseValueForTime(true),
	}
}

func note(name, color, expr, text string) *dashboard.AnnotationQueryBuilder {
	return dashboard.NewAnnotationQueryBuilder().Name(name).Datasource(source).Enable(true).Hide(false).
		IconColor(color).Expr(expr).Step("30s").TitleFormat(name).TextFormat(text)
}

func links() []cog.Builder[dashboard.DashboardLink] {
	return []cog.Builder[dashboard.DashboardLink]{
		dashboard.NewDashboardLinkBuilder("Granary").Type(dashboard.DashboardLinkTypeDashboards).
			Tags([]string{"granary"}).IncludeVars(true).KeepTime(true),
		dashboard.NewDashboardLinkBuilder("Runbooks").Type(dashboard.DashboardLinkTypeLink).
			Url(runbooks).TargetBlank(true),
		dashboard.NewDashboardLinkBuilder("Guide").Type(dashboard.DashboardLinkTypeLink).
			Url(guide).TargetBlank(true),
	}
}
