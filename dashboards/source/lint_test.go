package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The checks of a linter that matter for these dashboards, on the JSON that Grafana reads.

type lintBoard struct {
	jsonBoard
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Templating  struct {
		List []struct{ Name, Type string } `json:"list"`
	} `json:"templating"`
	Links  []struct{ Type, URL string } `json:"links"`
	Panels []lintPanel                  `json:"panels"`
}

type lintPanel struct {
	jsonPanel
	ID          int                    `json:"id"`
	Description string                 `json:"description"`
	Datasource  struct{ UID string }   `json:"datasource"`
	Targets     []lintTarget           `json:"targets"`
	Links       []struct{ URL string } `json:"links"`
}

type lintTarget struct {
	Expr       string
	Datasource struct{ UID string }
}

func read(t *testing.T) map[string]lintBoard {
	t.Helper()
	files, err := filepath.Glob("../granary-*.json")
	if err != nil || len(files) != len(boards()) {
		t.Fatalf("%d dashboards in .., not %d: run dashboards/generate (%v)", len(files), len(boards()), err)
	}
	found := map[string]lintBoard{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b lintBoard
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found[filepath.Base(file)] = b
	}
	return found
}

func TestBoards_eachOne_canBeFoundAndTold(t *testing.T) {
	uids := map[string]bool{}
	for file, b := range read(t) {
		if b.UID+".json" != file || uids[b.UID] {
			t.Errorf("%s has the uid '%s'", file, b.UID)
		}
		uids[b.UID] = true
		if b.Title == "" || b.Description == "" || !slices.Contains(b.Tags, "granary") {
			t.Errorf("%s lacks title, description or the tag of the links", file)
		}
		if len(b.Annotations.List) != 3 || len(b.Links) != 3 {
			t.Errorf("%s has %d annotations and %d links", file, len(b.Annotations.List), len(b.Links))
		}
		if b.Templating.List[0].Name != "datasource" || b.Templating.List[0].Type != "datasource" {
			t.Errorf("%s cannot be used with another data source", file)
		}
	}
}

func TestPanels_eachOne_isDescribedAndJudged(t *testing.T) {
	for file, b := range read(t) {
		ids, titles := map[int]bool{}, map[string]bool{}
		for _, p := range b.Panels {
			if ids[p.ID] || p.ID == 0 {
				t.Errorf("%s, %s: the id %d is there twice", file, p.Title, p.ID)
			}
			ids[p.ID] = true
			if p.Type == "row" {
				continue
			}
			if titles[p.Title] {
				t.Errorf("%s: '%s' is there twice", file, p.Title)
			}
			titles[p.Title] = true
			lintPanelOf(t, file, p)
		}
	}
}

func lintPanelOf(t *testing.T, file string, p lintPanel) {
	t.Helper()
	defaults := p.FieldConfig.Defaults
	if p.Description == "" || !strings.HasSuffix(p.Description, ".") {
		t.Errorf("%s, %s: no description, or no sentence", file, p.Title)
	}
	if defaults.Unit == "" {
		t.Errorf("%s, %s: no unit", file, p.Title)
	}
	if defaults.NoValue == "" && p.Type != "table" {
		t.Errorf("%s, %s: nothing is said where there is no data", file, p.Title)
	}
	if p.Type == "stat" && len(defaults.Thresholds.Steps) == 0 {
		t.Errorf("%s, %s: a number without thresholds", file, p.Title)
	}
	if len(p.Targets) == 0 {
		t.Errorf("%s, %s: no query", file, p.Title)
	}
	for _, target := range p.Targets {
		if p.Datasource.UID != "${datasource}" || target.Datasource.UID != "${datasource}" {
			t.Errorf("%s, %s: the data source is not the variable", file, p.Title)
		}
		if regexp.MustCompile(`rate\([^)]*\[\d`).MatchString(target.Expr) {
			t.Errorf("%s, %s: a rate over a fixed time", file, p.Title)
		}
	}
}

// Each alert's runbook, and each place in a dashboard, is a file of dashboards/runbooks.
func TestPanels_theirRunbooks_areThere(t *testing.T) {
	seen := 0
	for file, b := range read(t) {
		for _, p := range b.Panels {
			for _, link := range p.Links {
				seen++
				name, found := strings.CutPrefix(link.URL, runbooks)
				if _, err := os.Stat("../runbooks/" + name); !found || err != nil {
					t.Errorf("%s, %s: there is no runbook %s", file, p.Title, link.URL)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d panels only link to a runbook", seen)
	}
}

func TestQueries_theirMetrics_areExportedOrRecorded(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("../rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\w+) \\|").FindAllStringSubmatch(string(page), -1) {
		types[row[1]] = row[2]
	}
	name := regexp.MustCompile(`\b(?:granary|process|jvm)_[a-z_]+|\bcluster:[a-z0-9_:]+`)
	for file, b := range read(t) {
		for _, p := range b.Panels {
			for _, target := range p.Targets {
				for _, metric := range name.FindAllString(target.Expr, -1) {
					if !known(metric, types, string(rules)) {
						t.Errorf("%s, %s: nobody exports %s", file, p.Title, metric)
					}
				}
			}
		}
	}
}

func known(metric string, types map[string]string, rules string) bool {
	if strings.HasPrefix(metric, "cluster:") {
		return strings.Contains(rules, "- record: "+metric+"\n")
	}
	if kind, found := types[metric]; found {
		return kind != "histogram" && kind != "summary"
	}
	base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(metric, "")
	return base != metric && (types[base] == "histogram" || types[base] == "summary")
}
