package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// What was noted of a time: moments in seconds since 1970.
type noted struct {
	color   string
	moments []float64
	instant bool
}

func notes(b jsonBoard, s server) ([]noted, error) {
	var found []noted
	for _, n := range b.Annotations.List {
		series, err := s.span(n.Expr)
		if err != nil {
			return nil, err
		}
		one := noted{color: n.IconColor, instant: n.UseValueForTime}
		seen := map[float64]bool{}
		for _, l := range series {
			for i, value := range l.values {
				at := s.second(i)
				if n.UseValueForTime {
					at = value / 1000
				}
				inside := at > s.second(0) && at < s.second(s.moments()-1)
				if !math.IsNaN(value) && inside && !seen[at] {
					seen[at] = true
					one.moments = append(one.moments, at)
				}
			}
		}
		found = append(found, one)
	}
	return found, nil
}

func (s server) second(i int) float64 {
	return float64(s.from.UnixMilli())/1000 + float64(i)*s.step.Seconds()
}

func (on *sheet) addNotes(drawn *plot.Plot) {
	for _, n := range on.notes {
		width := on.server.step.Seconds()
		if n.instant {
			width = on.server.to.Sub(on.server.from).Seconds() / 300
		}
		for _, at := range n.moments {
			strip := plotter.XYs{{X: at, Y: 0}, {X: at + width, Y: 0}, {X: at + width, Y: drawn.Y.Max}, {X: at, Y: drawn.Y.Max}}
			if area, err := plotter.NewPolygon(strip); err == nil {
				area.Color, area.LineStyle.Width = shade(n.color), 0
				drawn.Add(area)
			}
		}
	}
}
