package main

import (
	"fmt"
	"image/color"
	"math"
	"sort"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	titleHeight  = 17
	legendHeight = 12
	legendRows   = 4
)

// named series of a panel, in the order of its queries.
func (on *sheet) series(p jsonPanel) (found []line, names []string, err error) {
	for _, t := range p.Targets {
		some, err := on.server.span(t.Expr)
		if err != nil {
			return nil, nil, err
		}
		sort.SliceStable(some, func(i, j int) bool {
			return legend(t.LegendFormat, some[i].labels) < legend(t.LegendFormat, some[j].labels)
		})
		for _, l := range some {
			if _, ok := lastOf(l.values); !ok {
				continue
			}
			found = append(found, l)
			names = append(names, legend(t.LegendFormat, l.labels))
		}
	}
	return found, names, nil
}

func (on *sheet) lines(p jsonPanel, in vgdraw.Canvas) error {
	found, names, err := on.series(p)
	if err != nil {
		return err
	}
	on.write(fitted(p.Title, 9.5, in.Size().X-8), 9.5, true, ink, in.Min.X+6, in.Max.Y-13)
	if on.none(p, in, found) {
		return nil
	}
	rows := legendLines(in, len(found))
	drawn := plot.New()
	drawn.BackgroundColor = color.Transparent
	drawn.X.Min, drawn.X.Max = on.server.second(0), on.server.second(on.server.moments()-1)
	unit := p.FieldConfig.Defaults.Unit
	stacked := p.FieldConfig.Defaults.Custom.Stacking.Mode == "normal"
	shown := found
	if stacked {
		shown = stack(found)
	}
	drawn.Y.Min, drawn.Y.Max = 0, ceiling(p, shown)
	on.axes(drawn, unit)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = frame, frame
	drawn.Add(grid)
	on.addNotes(drawn)
	if err := on.addLines(drawn, shown, stacked); err != nil {
		return err
	}
	addLimits(drawn, p)
	drawn.Draw(vgdraw.Crop(in, 4, -8, vg.Length(4+rows*legendHeight), -titleHeight))
	on.legend(p, in, found, names)
	return nil
}

func (on *sheet) axes(drawn *plot.Plot, unit string) {
	for _, axis := range []*plot.Axis{&drawn.X, &drawn.Y} {
		axis.Tick.Label = style(8, false, faint)
		axis.LineStyle.Color = frame
		axis.Tick.LineStyle.Color = frame
		axis.Tick.Length = 3
		axis.Padding = 0
	}
	drawn.X.Tick.Label.XAlign, drawn.X.Tick.Label.YAlign = -0.5, -1
	drawn.Y.Tick.Label.XAlign, drawn.Y.Tick.Label.YAlign = -1.1, -0.35
	drawn.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		distance := axisStep(high, unit)
		for at := 0.0; at <= high*1.0001; at += distance {
			ticks = append(ticks, plot.Tick{Value: at, Label: withUnit(at, unit)})
		}
		return ticks
	})
	drawn.X.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		distance := timeStep(on.server.to.Sub(on.server.from))
		layout := "15:04"
		if distance < time.Minute {
			layout = "15:04:05"
		}
		var ticks []plot.Tick
		for at := on.server.from.Truncate(distance).Add(distance); at.Before(on.server.to); at = at.Add(distance) {
			ticks = append(ticks, plot.Tick{Value: float64(at.Unix()), Label: at.UTC().Format(layout)})
		}
		return ticks
	})
}

func (on *sheet) addLines(drawn *plot.Plot, shown []line, stacked bool) error {
	for i := len(shown) - 1; i >= 0; i-- {
		for _, part := range on.parts(shown[i].values) {
			made, err := plotter.NewLine(part)
			if err != nil {
				return err
			}
			made.Color, made.Width = palette[i%len(palette)], 1.2
			if stacked {
				c := palette[i%len(palette)]
				made.FillColor = mixed(c)
			}
			drawn.Add(made)
		}
	}
	return nil
}

// mixed is a pale colour: areas lie over each other, so they cannot be transparent.
func mixed(c color.RGBA) color.RGBA {
	pale := func(v uint8) uint8 { return uint8(255 - (255-int(v))*2/5) }
	return color.RGBA{pale(c.R), pale(c.G), pale(c.B), 255}
}

// parts of a line between its gaps. A lone point becomes a short line.
func (on *sheet) parts(values []float64) []plotter.XYs {
	var found []plotter.XYs
	var part plotter.XYs
	for i, value := range append(values[:len(values):len(values)], math.NaN()) {
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			part = append(part, plotter.XY{X: on.server.second(i), Y: value})
			continue
		}
		if len(part) == 1 {
			part = append(part, plotter.XY{X: part[0].X + on.server.step.Seconds()/2, Y: part[0].Y})
		}
		if len(part) > 0 {
			found = append(found, part)
		}
		part = nil
	}
	return found
}

// addLimits draws the thresholds that are within the axis.
func addLimits(drawn *plot.Plot, p jsonPanel) {
	for _, s := range p.FieldConfig.Defaults.Thresholds.Steps {
		if s.Value == nil || *s.Value <= 0 || *s.Value > drawn.Y.Max {
			continue
		}
		if c, ok := named[s.Color]; ok && p.FieldConfig.Defaults.Thresholds.Steps[0].Color == "transparent" {
			limit, err := plotter.NewLine(plotter.XYs{{X: drawn.X.Min, Y: *s.Value}, {X: drawn.X.Max, Y: *s.Value}})
			if err == nil {
				limit.Color, limit.Dashes = c, []vg.Length{4, 3}
				drawn.Add(limit)
			}
		}
	}
}

func stack(found []line) []line {
	stacked := make([]line, len(found))
	for i, l := range found {
		stacked[i] = line{l.labels, append([]float64(nil), l.values...)}
		for at := range l.values {
			if i == 0 {
				continue
			}
			if below := stacked[i-1].values[at]; math.IsNaN(stacked[i].values[at]) {
				stacked[i].values[at] = below
			} else if !math.IsNaN(below) {
				stacked[i].values[at] += below
			}
		}
	}
	return stacked
}

// ceiling is the end of the axis: above the largest value, and above a limit that is near.
func ceiling(p jsonPanel, shown []line) float64 {
	if p.FieldConfig.Defaults.Max != nil {
		return *p.FieldConfig.Defaults.Max * 1.05
	}
	most := 0.0
	for _, l := range shown {
		most = max(most, largest(l.values))
	}
	for _, s := range p.FieldConfig.Defaults.Thresholds.Steps {
		if s.Value != nil && (most == 0 || most > *s.Value/2) {
			most = max(most, *s.Value)
		}
	}
	if most == 0 {
		return 1
	}
	return most * 1.1
}

// legendColumns is how many names have room beside each other.
func legendColumns(in vgdraw.Canvas) int { return max(1, int(in.Size().X/205)) }

func legendLines(in vgdraw.Canvas, names int) int {
	beside := legendColumns(in)
	return min((names+beside-1)/beside, legendRows)
}

func (on *sheet) legend(p jsonPanel, in vgdraw.Canvas, found []line, names []string) {
	beside, rows := legendColumns(in), legendLines(in, len(found))
	width := (in.Size().X - 8) / vg.Length(beside)
	for i := range found {
		x := in.Min.X + 8 + vg.Length(i%beside)*width
		y := in.Min.Y + 3 + vg.Length(rows-1-i/beside)*legendHeight
		if i == beside*legendRows-1 && len(found) > i+1 {
			on.write(fmt.Sprintf("and %d more", len(found)-i), 8, false, faint, x, y)
			return
		}
		last, _ := lastOf(found[i].values)
		values := fmt.Sprintf("%s, max %s",
			p.FieldConfig.Defaults.text(last), withUnit(largest(found[i].values), p.FieldConfig.Defaults.Unit))
		name := fitted(names[i], 8, width-24-style(8, false, faint).Width(values))
		on.fill(palette[i%len(palette)], x, y+2.5, 8, 2.5)
		on.write(name, 8, false, ink, x+12, y)
		on.write(values, 8, false, faint, x+16+style(8, false, ink).Width(name), y)
	}
}

func lastOf(values []float64) (float64, bool) {
	for i := len(values) - 1; i >= 0; i-- {
		if !math.IsNaN(values[i]) {
			return values[i], true
		}
	}
	return math.NaN(), false
}

func largest(values []float64) float64 {
	most := math.Inf(-1)
	for _, value := range values {
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			most = max(most, value)
		}
	}
	return most
}
