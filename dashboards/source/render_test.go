package main

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Half an hour of a cluster: what is stored, a peer that dies, and requests.
const begin, minutes = 1_790_000_000, 30

func samples() string {
	var text strings.Builder
	family := func(name, kind string, series map[string]func(minute int) float64) {
		fmt.Fprintf(&text, "# TYPE %s %s\n", name, kind)
		for labels, value := range series {
			for minute := 0; minute <= minutes; minute++ {
				fmt.Fprintf(&text, "%s{namespace=\"shop\",granary=\"social\",%s} %g %d\n", name, labels, value(minute), begin+60*minute)
			}
		}
	}
	const first, second, ring = `pod="social-storage-0"`, `pod="social-storage-1"`, `pod="social-super-peer-0"`
	family("granary_storage_lease_valid", "gauge", map[string]func(int) float64{
		first: func(int) float64 { return 1 }, second: func(m int) float64 { return float64(m % 10 / 9) }})
	family("granary_storage_memory_used_bytes", "gauge", map[string]func(int) float64{
		first: func(m int) float64 { return float64(m) * 1e7 }, second: func(m int) float64 { return float64(m) * 2e7 }})
	family("granary_storage_memory_capacity_bytes", "gauge", map[string]func(int) float64{
		first: func(int) float64 { return 1e9 }, second: func(int) float64 { return 1e9 }})
	family("granary_superpeer_zones", "gauge", map[string]func(int) float64{
		ring + `,state="lost"`: func(int) float64 { return 0 }, ring + `,state="in_sync"`: func(m int) float64 { return float64(m / 3) }})
	text.WriteString("# EOF\n")
	return text.String()
}

// start serves the samples by a Prometheus, which ends with the test.
func start(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	text := filepath.Join(folder, "samples.txt")
	data := filepath.Join(folder, "data")
	write(t, text, samples())
	write(t, filepath.Join(folder, "prometheus.yaml"), "")
	made, err := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", text, data).CombinedOutput()
	if err != nil {
		t.Fatalf("promtool (e2e/kubernetes/cluster/build prometheus makes it): %v %s", err, made)
	}
	for attempt := range 5 {
		port := 21000 + (os.Getpid()+attempt*997)%9000
		address := fmt.Sprintf("127.0.0.1:%d", port)
		process := exec.Command("prometheus", "--config.file="+filepath.Join(folder, "prometheus.yaml"),
			"--storage.tsdb.path="+data, "--storage.tsdb.retention.time=99y", "--web.listen-address="+address)
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- process.Wait() }()
		t.Cleanup(func() { _ = process.Process.Kill() })
		if ready("http://"+address, ended) {
			return "http://" + address
		}
	}
	t.Fatal("no Prometheus could be started")
	return ""
}

func ready(address string, ended chan error) bool {
	for {
		select {
		case <-ended:
			return false
		case <-time.After(100 * time.Millisecond):
		}
		if response, err := http.Get(address + "/-/ready"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return true
			}
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRender_dataOfAPrometheus_isDrawnAndWhatIsMissingIsNamed(t *testing.T) {
	address := start(t)
	folder := t.TempDir()
	var out bytes.Buffer
	err := run([]string{"render", "--prometheus", address, "--from", fmt.Sprint(begin), "--to", fmt.Sprint(begin + 60*minutes),
		"--out", folder, "--rate-interval", "5m", "../granary-cluster.json", "../granary-storage-peer.json"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "no data: CPU of a peer") || strings.Contains(out.String(), "no data: Memory for chunks\n") ||
		strings.Contains(out.String(), "no data: Full if one dies") {
		t.Errorf("said:\n%s", out.String())
	}
	for _, name := range []string{"granary-cluster", "granary-storage-peer"} {
		file, err := os.Open(filepath.Join(folder, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(file)
		file.Close()
		if err != nil || picture.Bounds().Dx() != pictureWidth*resolution/72 {
			t.Fatalf("%s: %v", name, err)
		}
		colors := map[any]bool{}
		for y := 0; y < picture.Bounds().Dy(); y += 2 {
			for x := 0; x < picture.Bounds().Dx(); x += 2 {
				colors[picture.At(x, y)] = true
			}
		}
		for i, c := range palette[:2] {
			if !colors[any(c)] {
				t.Errorf("%s shows no line of colour %d", name, i)
			}
		}
	}
}

func TestRender_noCluster_saysSo(t *testing.T) {
	address := start(t)
	err := run([]string{"render", "--prometheus", address, "--from", "1600000000", "--to", "1600000060", "../granary-fleet.json"}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "knows no cluster") {
		t.Errorf("said: %v", err)
	}
}
