package main

import (
	"image/color"
	"math"
	"sort"
	"strconv"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// number shows the last value of the first series, on the colour of its threshold.
func (on *sheet) number(p jsonPanel, in vgdraw.Canvas) error {
	found, _, err := on.series(p)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		value, _ := lastOf(found[0].values)
		if c, ok := named[p.FieldConfig.Defaults.color(value)]; ok {
			on.fill(c, in.Min.X, in.Min.Y, in.Size().X, in.Size().Y)
		}
		on.write(p.Title, 9.5, true, color.White, in.Min.X+6, in.Max.Y-14)
		shown := p.FieldConfig.Defaults.text(value)
		on.write(shown, 26, true, color.White, in.Center().X-style(26, true, ink).Width(shown)/2, in.Center().Y-18)
		return nil
	}
	on.write(p.Title, 9.5, true, ink, in.Min.X+6, in.Max.Y-14)
	on.none(p, in, nil)
	return nil
}

// table joins the last values of the queries by their labels.
func (on *sheet) table(p jsonPanel, in vgdraw.Canvas) error {
	on.write(p.Title, 9.5, true, ink, in.Min.X+6, in.Max.Y-13)
	columns := p.tableColumns()
	values := map[string]map[string]float64{}
	rowLabels := map[string]map[string]string{}
	for _, t := range p.Targets {
		found, err := on.server.last(t.Expr)
		if err != nil {
			return err
		}
		for _, l := range found {
			key := l.labels["namespace"] + "/" + l.labels["granary"] + "/" + l.labels["pod"]
			if values[key] == nil {
				values[key], rowLabels[key] = map[string]float64{}, l.labels
			}
			values[key][t.RefID] = l.values[0]
		}
	}
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	if len(keys) == 0 {
		on.none(p, in, nil)
		return nil
	}
	columns = used(columns, rowLabels)
	width := (in.Size().X - 12) / vg.Length(len(columns))
	y := in.Max.Y - titleHeight - 16
	for i, c := range columns {
		on.write(fitted(c.title, 8.5, width-4), 8.5, true, faint, in.Min.X+6+vg.Length(i)*width, y)
	}
	for _, key := range keys {
		y -= 17
		if y < in.Min.Y {
			break
		}
		for i, c := range columns {
			on.cell(c, rowLabels[key], values[key], in.Min.X+6+vg.Length(i)*width, y, width)
		}
	}
	return nil
}

// used leaves out labels that no line has.
func used(columns []tableColumn, rowLabels map[string]map[string]string) []tableColumn {
	var kept []tableColumn
	for _, c := range columns {
		has := c.ref != ""
		for _, labels := range rowLabels {
			has = has || labels[c.label] != ""
		}
		if has {
			kept = append(kept, c)
		}
	}
	return kept
}

func (on *sheet) cell(c tableColumn, labels map[string]string, values map[string]float64, x, y, width vg.Length) {
	if c.ref == "" {
		on.write(fitted(labels[c.label], 9, width-4), 9, false, ink, x, y)
		return
	}
	value, ok := values[c.ref]
	if !ok || math.IsNaN(value) {
		on.write("-", 9, false, faint, x, y)
		return
	}
	letters := color.Color(ink)
	if shown, ok := named[c.field.color(value)]; ok {
		on.fill(shown, x-3, y-4, width-3, 15)
		letters = color.White
	}
	on.write(c.field.text(value), 9, false, letters, x, y)
}

// heat shows how many values fell into each bucket of a histogram.
func (on *sheet) heat(p jsonPanel, in vgdraw.Canvas) error {
	on.write(p.Title, 9.5, true, ink, in.Min.X+6, in.Max.Y-13)
	var found []line
	for _, t := range p.Targets {
		some, err := on.server.span(t.Expr)
		if err != nil {
			return err
		}
		found = append(found, some...)
	}
	if on.none(p, in, found) {
		return nil
	}
	sort.Slice(found, func(i, j int) bool { return bound(found[i]) < bound(found[j]) })
	left, bottom := in.Min.X+56, in.Min.Y+18
	room := vg.Point{X: in.Max.X - 8 - left, Y: in.Max.Y - titleHeight - bottom}
	height := room.Y / vg.Length(len(found))
	width := room.X / vg.Length(on.server.moments())
	most := 0.0
	counts := make([][]float64, len(found))
	for i, l := range found {
		counts[i] = make([]float64, len(l.values))
		for at, value := range l.values {
			if i > 0 && !math.IsNaN(found[i-1].values[at]) {
				value -= found[i-1].values[at]
			}
			counts[i][at] = value
			if !math.IsNaN(value) {
				most = max(most, value)
			}
		}
	}
	for i := range found {
		y := bottom + vg.Length(i)*height
		on.write(bucket(found[i], p), 8, false, faint, in.Min.X+6, y+height/2-4)
		for at, value := range counts[i] {
			if value > 0 && most > 0 {
				depth := math.Sqrt(value / most)
				on.fill(color.RGBA{255, uint8(235 - 150*depth), uint8(200 - 190*depth), 255}, left+vg.Length(at)*width, y, width+0.3, height-0.5)
			}
		}
	}
	on.hours(left, in.Min.Y+5, room.X)
	return nil
}

// hours writes the times below a picture that has no axis.
func (on *sheet) hours(left, y, width vg.Length) {
	span := on.server.to.Sub(on.server.from)
	distance := timeStep(span)
	for at := on.server.from.Truncate(distance).Add(distance); at.Before(on.server.to); at = at.Add(distance) {
		x := left + width*vg.Length(float64(at.Sub(on.server.from))/float64(span))
		on.write(at.UTC().Format("15:04"), 8, false, faint, x-10, y)
	}
}

func bound(l line) float64 {
	value, err := strconv.ParseFloat(l.labels["le"], 64)
	if err != nil {
		return math.Inf(1)
	}
	return value
}

func bucket(l line, p jsonPanel) string {
	if math.IsInf(bound(l), 1) {
		return "more"
	}
	return withUnit(bound(l), p.FieldConfig.Defaults.Unit)
}
