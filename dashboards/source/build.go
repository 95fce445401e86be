package main

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

const (
	gridColumns  = 24
	linesHeight  = 8
	numberHeight = 4
	rowsHeight   = 7
)

var source = common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${datasource}")}

// toJSON returns the file that Grafana reads.
func toJSON(b board) ([]byte, error) {
	built := dashboard.NewDashboardBuilder(b.title).
		Uid(b.uid).
		Description(b.about).
		Tags([]string{"granary"}).
		Timezone("browser").
		Time("now-1h", "now").
		Refresh("30s").
		Editable().
		Tooltip(dashboard.DashboardCursorSyncCrosshair)
	for _, variable := range variables(b) {
		built = built.WithVariable(variable)
	}
	for _, annotation := range annotations(b) {
		built = built.Annotation(annotation)
	}
	for _, link := range links() {
		built = built.Link(link)
	}
	id, y := uint32(1), uint32(0)
	for _, s := range b.sections {
		built = built.WithRow(dashboard.NewRowBuilder(s.title).Id(id).
			GridPos(dashboard.GridPos{W: gridColumns, H: 1, X: 0, Y: y}))
		id, y = id+1, y+1
		x, tallest := uint32(0), uint32(0)
		for _, p := range s.panels {
			if x+p.width > gridColumns {
				x, y, tallest = 0, y+tallest, 0
			}
			place := dashboard.GridPos{W: p.width, H: height(p.kind), X: x, Y: y}
			built = built.WithPanel(builder(p, id, place))
			id, x, tallest = id+1, x+p.width, max(tallest, place.H)
		}
		y += tallest
	}
	made, err := built.Build()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.uid, err)
	}
	showLinks(&made)
	text, err := json.MarshalIndent(made, "", "  ")
	return append(text, '\n'), err
}

// showLinks takes links and annotations out of the menu in which the builders put them.
func showLinks(made *dashboard.Dashboard) {
	for i := range made.Links {
		made.Links[i].Placement = nil
	}
	for i := range made.Annotations.List {
		made.Annotations.List[i].Placement = nil
	}
	for _, p := range made.Panels {
		if p.Panel != nil {
			for i := range p.Panel.Links {
				p.Panel.Links[i].Placement = nil
			}
		}
	}
}

func height(k kind) uint32 {
	switch k {
	case number:
		return numberHeight
	case rows:
		return rowsHeight
	default:
		return linesHeight
	}
}

func builder(p panel, id uint32, place dashboard.GridPos) cog.Builder[dashboard.Panel] {
	switch p.kind {
	case number:
		return numberPanel(p, id, place)
	case rows:
		return rowsPanel(p, id, place)
	case heat:
		return heatPanel(p, id, place)
	default:
		return linesPanel(p, id, place)
	}
}

func linesPanel(p panel, id uint32, place dashboard.GridPos) cog.Builder[dashboard.Panel] {
	built := timeseries.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.about).GridPos(place).Datasource(source).
		Unit(p.unit).NoValue(p.noValue).Min(0).
		LineWidth(1).FillOpacity(fill(p)).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).ShowLegend(true).
			Calcs([]string{"lastNotNull", "max"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Targets(targets(p)).Links(runbook(p)).Mappings(mappings(p.words))
	if p.max > 0 {
		built = built.Max(p.max)
	}
	if p.stacked {
		built = built.Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A"))
	}
	if p.steps != nil {
		built = built.Thresholds(thresholds(p.steps)).ThresholdsStyle(
			common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return built
}

func fill(p panel) float64 {
	if p.stacked {
		return 40
	}
	return 5
}

func numberPanel(p panel, id uint32, place dashboard.GridPos) cog.Builder[dashboard.Panel] {
	return stat.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.about).GridPos(place).Datasource(source).
		Unit(p.unit).NoValue(p.noValue).
		Orientation(common.VizOrientationAuto).ColorMode(common.BigValueColorModeBackground).GraphMode(common.BigValueGraphModeArea).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		Thresholds(thresholds(p.steps)).Mappings(mappings(p.words)).
		Targets(targets(p)).Links(runbook(p))
}

func heatPanel(p panel, id uint32, place dashboard.GridPos) cog.Builder[dashboard.Panel] {
	return heatmap.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.about).GridPos(place).Datasource(source).
		NoValue(p.noValue).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		Color(heatmap.NewHeatmapColorOptionsBuilder().Mode(heatmap.HeatmapColorModeScheme).
			Scheme("Oranges").Exponent(0.5).Steps(64)).
		Tooltip(heatmap.NewHeatmapTooltipBuilder().Mode(common.TooltipDisplayModeSingle)).
		FilterValues(heatmap.NewFilterValueRangeBuilder().Le(1e-9)).
		Targets(targets(p)).Links(runbook(p)).Unit(p.unit)
}

// rowsPanel joins the queries by their labels; each query is a column.
func rowsPanel(p panel, id uint32, place dashboard.GridPos) cog.Builder[dashboard.Panel] {
	rename := map[string]string{"namespace": "Namespace", "granary": "Cluster", "pod": "Pod"}
	order := map[string]int{"namespace": 0, "granary": 1, "pod": 2}
	built := table.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.about).GridPos(place).Datasource(source).
		Unit(p.unit).NoValue(p.noValue).ShowHeader(true).Filterable(true).
		Thresholds(thresholds(neutral())).Targets(targets(p)).Links(runbook(p))
	for i, c := range p.columns {
		value := "Value #" + refID(i)
		rename[value] = c.title
		order[value] = len(order)
		properties := []dashboard.DynamicConfigValue{{Id: "unit", Value: c.unit}}
		if c.steps != nil {
			steps, _ := thresholds(c.steps).Build()
			properties = append(properties,
				dashboard.DynamicConfigValue{Id: "thresholds", Value: steps},
				dashboard.DynamicConfigValue{Id: "custom.cellOptions", Value: map[string]string{"type": "color-background"}})
		}
		if c.words != nil {
			properties = append(properties, dashboard.DynamicConfigValue{Id: "mappings", Value: mappings(c.words)})
		}
		built = built.OverrideByName(c.title, properties)
	}
	if p.opens != "" {
		built = built.OverrideByName("Cluster", []dashboard.DynamicConfigValue{{Id: "links", Value: []any{map[string]string{
			"title": "Open this cluster",
			"url": "/d/" + p.opens + "?var-datasource=${datasource}&var-namespace=${__data.fields.Namespace}" +
				"&var-granary=${__data.fields.Cluster}",
		}}}})
	}
	return built.
		WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{
			"excludeByName": map[string]bool{"Time": true, "name": true}, "indexByName": order, "renameByName": rename,
		}})
}

func refID(i int) string { return string(rune('A' + i)) }

func targets(p panel) []cog.Builder[variants.Dataquery] {
	var made []cog.Builder[variants.Dataquery]
	for i, q := range p.queries {
		built := prometheus.NewDataqueryBuilder().
			Expr(q.expr).RefId(refID(i)).LegendFormat(q.legend).Datasource(source).EditorMode(prometheus.QueryEditorModeCode)
		switch p.kind {
		case rows:
			built = built.Instant().Format(prometheus.PromQueryFormatTable)
		case heat:
			built = built.Range().Format(prometheus.PromQueryFormatHeatmap)
		default:
			built = built.Range()
		}
		made = append(made, built)
	}
	return made
}

func thresholds(steps []step) cog.Builder[dashboard.ThresholdsConfig] {
	var made []dashboard.Threshold
	for i, s := range steps {
		from := &s.from
		if i == 0 {
			from = nil
		}
		made = append(made, dashboard.Threshold{Value: from, Color: s.color})
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(made)
}

func mappings(words map[string]string) []dashboard.ValueMapping {
	values := make([]string, 0, len(words))
	for value := range words {
		values = append(values, value)
	}
	sort.Strings(values)
	made := make([]dashboard.ValueMapping, 0, len(words))
	for _, value := range values {
		made = append(made, dashboard.ValueMapping{ValueMap: &dashboard.ValueMap{
			Type:    "value",
			Options: map[string]dashboard.ValueMappingResult{value: {Text: cog.ToPtr(words[value])}},
		}})
	}
	return made
}

func runbook(p panel) []cog.Builder[dashboard.DashboardLink] {
	if p.runbook == "" {
		return nil
	}
	return []cog.Builder[dashboard.DashboardLink]{dashboard.NewDashboardLinkBuilder("Runbook").
		Type(dashboard.DashboardLinkTypeLink).Url(runbooks + p.runbook + ".md").TargetBlank(true)}
}
