package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// withUnit writes a value as Grafana would, roughly.
func withUnit(value float64, unit string) string {
	if math.IsNaN(value) {
		return "-"
	}
	switch unit {
	case "percentunit":
		return digits(value*100) + " %"
	case "bytes":
		return scaled(value, 1024, []string{" B", " KiB", " MiB", " GiB", " TiB"})
	case "Bps":
		return scaled(value, 1000, []string{" B/s", " kB/s", " MB/s", " GB/s"})
	case "ops", "reqps":
		return scaled(value, 1000, []string{"/s", "k/s", "M/s"})
	case "s":
		return duration(value)
	case "cores":
		return digits(value) + " cores"
	case "short":
		return scaled(value, 1000, []string{"", " k", " M", " G"})
	default:
		return digits(value)
	}
}

func scaled(value, base float64, names []string) string {
	i := 0
	for math.Abs(value) >= base && i < len(names)-1 {
		value /= base
		i++
	}
	return digits(value) + names[i]
}

func duration(seconds float64) string {
	switch size := math.Abs(seconds); {
	case size == 0:
		return "0 s"
	case size < 1e-3:
		return digits(seconds*1e6) + " µs"
	case size < 1:
		return digits(seconds*1e3) + " ms"
	case size < 120:
		return digits(seconds) + " s"
	case size < 2*3600:
		return digits(seconds/60) + " min"
	case size < 48*3600:
		return digits(seconds/3600) + " h"
	default:
		return digits(seconds/86400) + " d"
	}
}

// digits writes three digits that count.
func digits(value float64) string {
	size := math.Abs(value)
	decimals := 0
	switch {
	case size == 0 || size >= 100:
	case size >= 10:
		decimals = 1
	case size >= 0.01:
		decimals = 2
	default:
		return fmt.Sprintf("%.2g", value)
	}
	text := fmt.Sprintf("%.*f", decimals, value)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// axisStep is a round distance of about a quarter of the range.
func axisStep(most float64, unit string) float64 {
	want := most / 4
	if want <= 0 {
		return 1
	}
	if unit == "bytes" {
		return math.Exp2(math.Ceil(math.Log2(want)))
	}
	if unit == "s" && want > 30 {
		return timeStep(time.Duration(most*1.5) * time.Second).Seconds()
	}
	power := math.Pow(10, math.Floor(math.Log10(want)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if factor*power >= want {
			return factor * power
		}
	}
	return want
}

// timeStep is a round distance of about a sixth of the time.
func timeStep(span time.Duration) time.Duration {
	for _, step := range []time.Duration{
		time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour,
	} {
		if span/step <= 6 {
			return step
		}
	}
	return 7 * 24 * time.Hour
}
