package main

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGenerate_changedAndStrayFiles_areNamed(t *testing.T) {
	folder := t.TempDir()
	if err := run([]string{"generate", folder}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"generate", "--check", folder}, io.Discard); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"granary-fleet.json": "{}", "stray.json": "{}"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := run([]string{"generate", "--check", folder}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "granary-fleet.json is not what") ||
		!strings.Contains(err.Error(), "stray.json is made by nothing") || strings.Contains(err.Error(), "granary-cluster") {
		t.Errorf("said: %v", err)
	}
}

func TestWithUnit_values_areReadable(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "s", "0 s"}, {0.0000042, "s", "4.2 µs"}, {0.25, "s", "250 ms"}, {90, "s", "90 s"}, {600, "s", "10 min"},
		{1536, "bytes", "1.5 KiB"}, {0.853, "percentunit", "85.3 %"}, {12345, "ops", "12.3k/s"}, {1e6, "short", "1 M"},
		{3, "none", "3"}, {math.NaN(), "s", "-"},
	} {
		if got := withUnit(c.value, c.unit); got != c.want {
			t.Errorf("%g %s is shown as %s, not %s", c.value, c.unit, got, c.want)
		}
	}
}

func TestMoment_waysToSayIt_areUnderstood(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for text, want := range map[string]int64{
		"now": 1_800_000_000, "now-30m": 1_799_998_200, "1700000000": 1_700_000_000, "2026-01-31T12:00:00Z": 1_769_860_800,
	} {
		if got, err := moment(text, now); err != nil || got.Unix() != want {
			t.Errorf("%s is %d (%v), not %d", text, got.Unix(), err, want)
		}
	}
	if _, err := moment("yesterday", now); err == nil {
		t.Error("yesterday was understood")
	}
}

func TestFill_variablesOfWhichOneBeginsAnother_areNotMixed(t *testing.T) {
	s := server{variables: map[string]string{"pod": "p", "podman": "q"}}
	if got := s.fill(`a{x="$podman",y="${pod}"}`); got != `a{x="q",y="p"}` {
		t.Error(got)
	}
}

func TestStack_gapInOneLine_keepsTheOthers(t *testing.T) {
	nan := math.NaN()
	got := stack([]line{{values: []float64{1, nan}}, {values: []float64{2, 2}}, {values: []float64{nan, 3}}})
	if got[1].values[0] != 3 || got[1].values[1] != 2 || got[2].values[0] != 3 || got[2].values[1] != 5 {
		t.Errorf("%v", got)
	}
}
