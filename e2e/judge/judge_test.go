package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const header = `{"type":"history","format":"granary-history","version":2,"source":"test"}` + "\n"

// chunk is the chunk of most tests, of the storage peer 0x8000.
const chunk = `"chunk":"0x8000000000000001"`

var planted = []struct {
	name    string
	lines   string
	problem string // what the judge says; empty when all is well
}{
	{"everything one after the other", `
create 1 done 1 2
get 1 done 3 4
put 2 done 5 6
get 2 done 7 8
delete 0 done 9 10
get 0 not-found 11 12
create 3 done 13 14
get 3 done 15 16`, ""},
	{"a put while others read", `
create 1 done 1 2
put 2 done 3 10
get 1 done 4 5
get 2 done 6 7`, ""},
	{"an unknown put that takes effect late", `
create 1 done 1 2
put 2 unknown 3 -
get 1 done 4 5
put 3 done 6 7
get 2 done 8 9`, ""},
	{"an unknown put that never takes effect", `
create 1 done 1 2
put 2 unknown 3 -
delete 0 done 4 5
get 0 not-found 6 7`, ""},
	{"a stale read", `
create 1 done 1 2
put 2 done 3 4
get 1 done 5 6`, "no order"},
	{"new, then old", `
create 1 done 1 2
put 2 done 3 10
get 2 done 4 5
get 1 done 6 7`, "no order"},
	{"a lost update", `
create 1 done 1 2
put 2 done 3 4
put 3 done 5 6
get 3 done 7 8
get 2 done 9 10`, "no order"},
	{"a deleted chunk that returns", `
create 1 done 1 2
delete 0 done 3 4
get 0 not-found 5 6
get 1 done 7 8`, "no order"},
	{"a deleted chunk that takes a put", `
create 1 done 1 2
delete 0 done 3 4
put 2 done 5 6`, "no order"},
	{"two owners, each with its own value", `
create 1 done 1 2
put 2 done 3 4
put 3 done 5 6
get 2 done 7 8
get 3 done 9 10
get 2 done 11 12`, "no order"},
	{"one identifier for two objects", `
create 1 done 1 2
create 2 done 3 4`, "no order"},
	{"a value that nobody wrote", `
create 1 done 1 2
get 77 done 3 4`, "no order"},
	{"a chunk that is not found although it is there", `
create 1 done 1 2
get 0 not-found 3 4`, "no order"},
	{"a chunk that is lost with its owner", `
create 1 done 1 2
died 0 done 3 4
get 0 lost 5 6`, ""},
	{"a chunk that is lost although nobody died", `
create 1 done 1 2
get 0 lost 3 4`, "no order"},
	{"a lost chunk that returns", `
create 1 done 1 2
died 0 done 3 4
get 1 done 5 6`, "no order"},
	{"a change that was answered by lost and had been carried out", `
create 1 done 1 2
put 2 lost 3 8
get 2 done 4 5
died 0 done 6 7
get 0 lost 9 10`, ""},
	{"a create without an answer whose chunk is found", `
create 1 done 1 2
delete 0 done 3 4
stranger 2 unknown 5 -
get 2 done 6 7`, ""},
	{"a create without an answer in whose way nothing was", `
create 1 done 1 2
delete 0 done 3 4
stranger 2 unknown 5 -
put 3 done 6 7
get 3 done 8 9
get 0 not-found 10 11`, ""},
	{"a create whose storage peer ends, and that is done elsewhere", `
create 1 done 1 2
delete 0 done 3 4
elsewhere 2 done 5 10
ended 0 done 6 -
delete 0 done 7 8
get 0 not-found 11 12`, ""},
	{"a create that had ended before the storage peer did", `
create 1 done 1 2
delete 0 done 3 4
elsewhere 2 done 5 6
ended 0 done 7 -
delete 0 done 8 9`, "no order"},
	{"the undoing of a create that has not begun", `
create 1 done 1 2
get 0 not-found 3 4
stranger 2 unknown 5 -`, "no order"},
	{"replicated changes that a loss of power undoes", `
create 1 done 1 2 synced
put 2 done 3 4
put 3 done 5 6
rollback 0 done 7 8 synced
get 2 done 9 10`, ""},
	{"a change whose chunk a loss of power undoes before its answer", `
create 1 done 1 2
put 2 not-found 3 10
get 2 done 4 5
rollback 0 done 6 7 synced
get 0 not-found 11 12`, ""},
	{"a change that was answered by not-found before a loss of power", `
create 1 done 1 2
put 2 not-found 3 6
get 2 done 4 5
rollback 0 done 7 8 synced`, "no order"},
	{"a synced change that a loss of power undoes", `
create 1 done 1 2 synced
put 2 done 3 4
put 3 done 5 6 synced
rollback 0 done 7 8 synced
get 2 done 9 10`, "no order"},
	{"a change before a fence that a loss of power undoes", `
create 1 done 1 2 synced
put 2 done 3 4
fence 0 done 5 6 synced
rollback 0 done 7 8 synced
get 1 done 9 10`, "no order"},
	{"a change before a fence without an answer that a loss of power undoes", `
create 1 done 1 2 synced
put 2 done 3 4
fence 0 unknown 5 -
rollback 0 done 7 8 synced
get 1 done 9 10`, ""},
	{"a fence of what is not there", `
create 1 done 1 2
delete 0 done 3 4
fence 0 done 5 6`, "no order"},
	{"a change after the loss of power that is undone", `
create 1 done 1 2 synced
rollback 0 done 3 4 synced
put 2 done 5 6
get 1 done 7 8`, "no order"},
	{"an asynchronous change that is lost with its owner's memory", `
create 1 done 1 2
put 2 done 3 4 async
rollback 0 done 5 6 replicated
get 1 done 7 8`, ""},
	{"a replicated change that is lost with one memory", `
create 1 done 1 2
put 2 done 3 4 replicated
rollback 0 done 5 6 replicated
get 1 done 7 8`, "no order"},
}

func TestChunks(t *testing.T) {
	for _, test := range planted {
		t.Run(test.name, func(t *testing.T) {
			requireVerdict(t, chunkLines(test.lines), test.problem)
		})
	}
}

// chunkLines writes the short lines of a test as those of a history: operation, value, outcome, begin, end, promise.
func chunkLines(short string) string {
	var lines strings.Builder
	for _, text := range strings.Split(strings.TrimSpace(short), "\n") {
		fields := strings.Fields(text)
		times := `"begin":` + fields[3]
		if fields[4] != "-" {
			times += `,"end":` + fields[4]
		}
		promise := "replicated"
		if len(fields) > 5 {
			promise = fields[5]
		}
		switch fields[0] {
		case "died":
			lines.WriteString(`{"type":"owner-died","nid":32768,"chunks":["0x8000000000000001"],"maybeChunks":[],` + times + "}\n")
		case "rollback":
			lines.WriteString(`{"type":"rollback","promise":"` + promise + `","all":true,` + times + "}\n")
		case "ended":
			lines.WriteString(`{"type":"incarnation-ended","nid":32768,"begin":` + fields[3] + "}\n")
		case "elsewhere":
			lines.WriteString(`{"type":"chunk","client":"a","operation":"create","chunk":"0x4000000000000001","value":` + fields[1] +
				`,"outcome":"done","promise":"replicated",` + times + "}\n")
		case "stranger":
			lines.WriteString(`{"type":"chunk","client":"a","operation":"create","value":` + fields[1] +
				`,"outcome":"unknown","promise":"replicated",` + times + "}\n")
		default:
			lines.WriteString(`{"type":"chunk","client":"a","operation":"` + fields[0] + `",` + chunk + `,"value":` + fields[1] +
				`,"outcome":"` + fields[2] + `","promise":"` + promise + `",` + times + "}\n")
		}
	}
	return lines.String()
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		name    string
		lines   []string
		problem string
	}{
		{"put, read, removed", []string{
			name("put", "1", `"saw":"0x0","outcome":"done","begin":1,"end":2,"endNanos":2`),
			name("get", "0", `"saw":"0x1","outcome":"done","begin":3,"end":4,"endNanos":4`),
			name("remove", "0", `"saw":"0x1","outcome":"done","begin":5,"end":6,"endNanos":6`),
			name("put-if-absent", "2", `"outcome":"done","begin":7,"end":8,"endNanos":8`),
		}, ""},
		{"an acknowledged name that is undone", []string{
			name("put", "1", `"saw":"0x0","outcome":"done","begin":1,"end":2,"endNanos":2`),
			name("put", "2", `"saw":"0x1","outcome":"done","begin":3,"end":4,"endNanos":4`),
			name("get", "0", `"saw":"0x1","outcome":"done","begin":5,"end":6,"endNanos":6`),
		}, "name n: no order"},
		{"a removed name that returns", []string{
			name("put", "1", `"saw":"0x0","outcome":"done","begin":1,"end":2,"endNanos":2`),
			name("remove", "0", `"saw":"0x1","outcome":"done","begin":3,"end":4,"endNanos":4`),
			name("get", "0", `"saw":"0x1","outcome":"done","begin":5,"end":6,"endNanos":6`),
		}, "name n: no order"},
		{"a change that is carried out twice", []string{
			name("put", "1", `"saw":"0x0","outcome":"unknown","begin":1`),
			name("put", "2", `"saw":"0x1","outcome":"done","begin":2,"end":3,"endNanos":3`),
			name("get", "0", `"saw":"0x1","outcome":"done","begin":4,"end":5,"endNanos":5`),
		}, "name n: no order"},
		{"two who both find a name absent", []string{
			name("put-if-absent", "1", `"outcome":"done","begin":1,"end":3,"endNanos":3`),
			name("put-if-absent", "2", `"outcome":"done","begin":2,"end":4,"endNanos":4`),
		}, "name n: no order"},
		{"a late change that is undone with all super-peers", []string{
			name("put", "1", `"saw":"0x0","outcome":"done","begin":1,"end":2,"endNanos":20`),
			name("put", "2", `"saw":"0x1","outcome":"done","begin":3,"end":4,"endNanos":40`),
			`{"type":"name-rollback","keptNanos":30,"begin":5,"end":6}`,
			name("get", "0", `"saw":"0x1","outcome":"done","begin":7,"end":8,"endNanos":80`),
		}, ""},
		{"a change that is undone although it was kept", []string{
			name("put", "1", `"saw":"0x0","outcome":"done","begin":1,"end":2,"endNanos":20`),
			name("put", "2", `"saw":"0x1","outcome":"done","begin":3,"end":4,"endNanos":40`),
			`{"type":"name-rollback","keptNanos":40,"begin":5,"end":6}`,
			name("get", "0", `"saw":"0x1","outcome":"done","begin":7,"end":8,"endNanos":80`),
		}, "name n: no order"},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireVerdict(t, strings.Join(test.lines, "\n"), test.problem)
		})
	}
}

func name(operation, cid, rest string) string {
	return `{"type":"name","client":"a","operation":"` + operation + `","name":"n","cid":"0x` + cid + `",` + rest + "}"
}

func requireVerdict(t *testing.T, lines, problem string) {
	t.Helper()
	read, err := readHistory(strings.NewReader(header + lines))
	if err != nil {
		t.Fatal(err)
	}
	said := judge{limit: time.Minute}.history(t.Name(), read)
	if said.chunks+said.names == 0 {
		t.Fatal("nothing was judged")
	}
	if problem == "" && len(said.problems) > 0 {
		t.Fatal("says", said.problems, "although all is well")
	}
	if problem != "" && !strings.Contains(strings.Join(said.problems, "\n"), problem) {
		t.Fatal("says", said.problems, "and not", problem)
	}
}

// Java writes the golden file, and compares: HistoryFileTest.
func TestGoldenFile(t *testing.T) {
	in, err := os.Open("../../libs/testkit/src/test/resources/dev/granary/testkit/history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	read, err := readHistory(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(read.chunks) != 9 || len(read.deaths) != 1 || len(read.ends) != 1 || len(read.rollbacks) != 2 || len(read.names) != 6 || len(read.nameRollbacks) != 1 {
		t.Fatalf("%d lines of chunks, %d deaths, %d rollbacks, %d of names, %d rollbacks of names",
			len(read.chunks), len(read.deaths), len(read.rollbacks), len(read.names), len(read.nameRollbacks))
	}
}

func TestOtherFormats(t *testing.T) {
	for text, problem := range map[string]string{
		`{"type":"history","format":"granary-history","version":3}`: "version 3",
		`{"type":"chunk"}`:                                                               "the first line",
		header + `{"type":"weather"}`:                                                    "unknown type",
		header + `{"type":"chunk","colour":"blue"}`:                                      "unknown field",
		header + `{"type":"chunk","operation":"get","begin":5,"end":4}`:                  "before its begin",
		header + `{"type":"chunk","operation":"sing","outcome":"done","begin":1}`:        "unknown operation",
		header + `{"type":"chunk","operation":"get","outcome":"fine","begin":1}`:         "unknown outcome",
		header + `{"type":"chunk","operation":"get","outcome":"done","begin":1,"end":2}`: "without its chunk",
		header + `no JSON`: "line 2",
	} {
		_, err := readHistory(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestFilesOfFolderWithoutHistories(t *testing.T) {
	full, empty := t.TempDir(), t.TempDir()
	history := filepath.Join(full, "deep", "a.jsonl")
	for _, file := range []string{history, filepath.Join(empty, "log.txt")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(header), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filesOf([]string{full, history})
	if err != nil || !slices.Equal(files, []string{history, history}) {
		t.Fatal(files, err)
	}
	for _, missing := range []string{empty, filepath.Join(empty, "nowhere")} {
		if files, err := filesOf([]string{full, missing}); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v, %v", missing, files, err)
		}
	}
}
