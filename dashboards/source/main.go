// Command dashboards makes Grafana's dashboards of the files in this folder, and pictures of dashboards.
//
//	dashboards generate [--check] FOLDER
//	dashboards render --prometheus URL --from T --to T --out DIR [--namespace N --cluster C] DASHBOARD.json...
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// boards are in the order in which people should find them.
func boards() []board {
	return []board{fleet(), cluster(), storagePeer(), redis(), replication(), disks(), operator()}
}

var errUsage = errors.New("usage: dashboards generate [--check] FOLDER, or dashboards render --help")

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		if errors.Is(err, errUsage) || errors.Is(err, flag.ErrHelp) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

func run(arguments []string, out io.Writer) error {
	if len(arguments) == 0 {
		return errUsage
	}
	switch arguments[0] {
	case "generate":
		return generate(arguments[1:])
	case "render":
		return render(arguments[1:], out)
	default:
		return errUsage
	}
}

// generate writes the dashboards, or with --check says which ones are not as they should be.
func generate(arguments []string) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	check := flags.Bool("check", false, "compare, and write nothing")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errUsage
	}
	expected := map[string]bool{}
	var wrong []error
	for _, b := range boards() {
		made, err := toJSON(b)
		if err != nil {
			return err
		}
		file := filepath.Join(flags.Arg(0), b.uid+".json")
		expected[file] = true
		if !*check {
			if err := os.WriteFile(file, made, 0o644); err != nil {
				return err
			}
		} else if present, err := os.ReadFile(file); err != nil || !bytes.Equal(present, made) {
			wrong = append(wrong, fmt.Errorf("%s is not what dashboards/source makes: run dashboards/generate", file))
		}
	}
	present, err := filepath.Glob(filepath.Join(flags.Arg(0), "*.json"))
	if err != nil {
		return err
	}
	for _, file := range present {
		if !expected[file] {
			wrong = append(wrong, fmt.Errorf("%s is made by nothing in dashboards/source: remove it", file))
		}
	}
	return errors.Join(wrong...)
}
