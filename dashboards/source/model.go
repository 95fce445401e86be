package main

// A dashboard as its file in this folder describes it; build.go makes Grafana's JSON of it.
type board struct {
	uid, title, about string
	perPod            bool // has the variable $pod
	fleet             bool // is about all clusters, and has no variables for one
	sections          []section
}

// A section is a row of Grafana with the panels below it.
type section struct {
	title  string
	panels []panel
}

type kind int

const (
	lines  kind = iota // series over time
	number             // one large number
	rows               // one line for each cluster or pod
	heat               // a histogram over time
)

type panel struct {
	kind    kind
	title   string
	about   string // what it shows, and what is good
	unit    string // of Grafana
	width   uint32 // of 24
	queries []query
	steps   []step // thresholds; the first one begins at minus infinity
	noValue string // in place of "No data"
	runbook string // the file in dashboards/runbooks, without .md
	stacked bool
	max     float64           // of the axis; none when 0
	words   map[string]string // texts in place of values
	columns []column          // of a table, in the order of its queries
	opens   string            // the dashboard that a line of a table opens
}

type query struct {
	expr   string
	legend string
}

// A step is a threshold: from this value on there is this colour.
type step struct {
	from  float64
	color string
}

// A column of a table shows the values of one query.
type column struct {
	title, unit string
	steps       []step
	words       map[string]string
}

const (
	green  = "green"
	yellow = "yellow"
	red    = "red"
	blue   = "blue"
)

// good is green below the first limit, yellow below the second, and red from there.
func good(warning, bad float64) []step {
	return []step{{0, green}, {warning, yellow}, {bad, red}}
}

// none is green for zero and of a colour from one on.
func none(color string) []step { return []step{{0, green}, {1, color}} }

// atLeast is red below a number, and green from it.
func atLeast(enough float64) []step { return []step{{0, red}, {enough, green}} }

// neutral has no judgement.
func neutral() []step { return []step{{0, blue}} }

// limits draws lines on the axis only: what is below the first is not coloured.
func limits(warning, bad float64) []step {
	return []step{{0, "transparent"}, {warning, yellow}, {bad, red}}
}

func one(expr string) []query { return []query{{expr, ""}} }

func by(expr, legend string) []query { return []query{{expr, legend}} }

var yesNo = map[string]string{"0": "no", "1": "yes"}
