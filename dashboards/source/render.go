package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// render draws dashboards with what a Prometheus has, into one PNG for each.
func render(arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("render", flag.ContinueOnError)
	address := flags.String("prometheus", "http://127.0.0.1:9090", "address of the Prometheus")
	from := flags.String("from", "now-1h", "beginning: seconds since 1970, a time as 2026-01-31T12:00:00Z, or now-30m")
	to := flags.String("to", "now", "end")
	folder := flags.String("out", ".", "folder for the pictures")
	namespace := flags.String("namespace", "", "the cluster's namespace; default: that of any cluster")
	name := flags.String("cluster", "", "the cluster's name; default: any cluster of the namespace")
	interval := flags.String("rate-interval", "1m", "over which rates are counted: at least four scrapes")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("no dashboard is named")
	}
	now := time.Now()
	begin, err := moment(*from, now)
	if err != nil {
		return err
	}
	end, err := moment(*to, now)
	if err != nil {
		return err
	}
	if !end.After(begin) {
		return fmt.Errorf("--from %s is not before --to %s", *from, *to)
	}
	s := newServer(strings.TrimSuffix(*address, "/"), begin, end, *interval)
	if err := s.choose(*namespace, *name); err != nil {
		return err
	}
	if err := os.MkdirAll(*folder, 0o755); err != nil {
		return err
	}
	for _, file := range flags.Args() {
		b, err := readBoard(file)
		if err != nil {
			return err
		}
		picture := filepath.Join(*folder, b.UID+".png")
		empty, err := draw(b, s, picture)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Fprintln(out, picture)
		for _, panel := range empty {
			fmt.Fprintf(out, "  no data: %s\n", panel)
		}
	}
	return nil
}

func newServer(address string, from, to time.Time, interval string) server {
	step := max(time.Second, to.Sub(from)/240).Round(time.Second)
	return server{
		address: address, from: from, to: to, step: step,
		variables: map[string]string{
			"__rate_interval": interval, "__interval": step.String(), "pod": ".*", "datasource": "prometheus",
			"__range": fmt.Sprintf("%ds", int(to.Sub(from).Seconds())),
		},
	}
}

// choose takes a cluster that has been there, where none is named.
func (s server) choose(namespace, name string) error {
	pick := fmt.Sprintf(`max by (namespace, granary) (max_over_time(granary_storage_lease_valid{namespace=~"%s",granary=~"%s"}[$__range]))`,
		orAny(namespace), orAny(name))
	clusters, err := s.last(pick)
	if err != nil {
		return err
	}
	if len(clusters) == 0 {
		return fmt.Errorf("%s knows no cluster from %s to %s", s.address, s.from.Format(time.RFC3339), s.to.Format(time.RFC3339))
	}
	s.variables["namespace"] = clusters[0].labels["namespace"]
	s.variables["granary"] = clusters[0].labels["granary"]
	return nil
}

func orAny(value string) string {
	if value == "" {
		return ".*"
	}
	return value
}

// moment reads a time as people and scripts write it.
func moment(text string, now time.Time) (time.Time, error) {
	if text == "now" {
		return now, nil
	}
	if ago, found := strings.CutPrefix(text, "now-"); found {
		if length, err := time.ParseDuration(ago); err == nil {
			return now.Add(-length), nil
		}
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return time.UnixMilli(int64(seconds * 1000)), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return now, fmt.Errorf("'%s' is no time: say seconds since 1970, 2026-01-31T12:00:00Z, now or now-30m", text)
}
