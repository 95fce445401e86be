package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A server is a Prometheus and the time that pictures show.
type server struct {
	address   string
	from, to  time.Time
	step      time.Duration
	variables map[string]string
}

// A line has one value for each step from the beginning on, NaN where there is none.
type line struct {
	labels map[string]string
	values []float64
}

// moments are the times of a line's values.
func (s server) moments() int { return int(s.to.Sub(s.from)/s.step) + 1 }

// span asks for values over the whole time.
func (s server) span(expr string) ([]line, error) {
	var answer []struct {
		Metric map[string]string
		Values [][2]any
	}
	err := s.ask("query_range", url.Values{
		"query": {s.fill(expr)}, "start": {unix(s.from)}, "end": {unix(s.to)}, "step": {fmt.Sprint(s.step.Seconds())},
	}, &answer)
	var found []line
	for _, one := range answer {
		values := make([]float64, s.moments())
		for i := range values {
			values[i] = math.NaN()
		}
		for _, pair := range one.Values {
			at := int(math.Round((pair[0].(float64) - float64(s.from.UnixMilli())/1000) / s.step.Seconds()))
			if at >= 0 && at < len(values) {
				values[at] = number64(pair[1])
			}
		}
		found = append(found, line{one.Metric, values})
	}
	sort.Slice(found, func(i, j int) bool { return fmt.Sprint(found[i].labels) < fmt.Sprint(found[j].labels) })
	return found, err
}

// last asks for the values at the end.
func (s server) last(expr string) ([]line, error) {
	var answer []struct {
		Metric map[string]string
		Value  [2]any
	}
	err := s.ask("query", url.Values{"query": {s.fill(expr)}, "time": {unix(s.to)}}, &answer)
	var found []line
	for _, one := range answer {
		found = append(found, line{one.Metric, []float64{number64(one.Value[1])}})
	}
	return found, err
}

func (s server) ask(what string, parameters url.Values, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+"/api/v1/"+what+"?"+parameters.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result json.RawMessage }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s gave no answer of Prometheus (%s): %w", s.address, response.Status, err)
	}
	if answer.Status != "success" {
		return fmt.Errorf("Prometheus refused %s: %s", parameters.Get("query"), answer.Error)
	}
	return json.Unmarshal(answer.Data.Result, result)
}

// fill puts values in place of Grafana's variables, longer names first.
func (s server) fill(expr string) string {
	names := make([]string, 0, len(s.variables))
	for name := range s.variables {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return len(names[i]) > len(names[j]) })
	for _, name := range names {
		expr = strings.ReplaceAll(expr, "${"+name+"}", s.variables[name])
		expr = strings.ReplaceAll(expr, "$"+name, s.variables[name])
	}
	return expr
}

// legend fills a legend's {{labels}}.
func legend(format string, labels map[string]string) string {
	if format == "" {
		var parts []string
		for _, label := range []string{"namespace", "granary", "pod", "le"} {
			if value := labels[label]; value != "" {
				parts = append(parts, value)
			}
		}
		return strings.Join(parts, " ")
	}
	for label, value := range labels {
		format = strings.ReplaceAll(format, "{{"+label+"}}", value)
	}
	return format
}

func unix(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) }

func number64(text any) float64 {
	value, err := strconv.ParseFloat(text.(string), 64)
	if err != nil {
		return math.NaN()
	}
	return value
}
