package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// The format of docs/formats/history.md that this program reads.
const (
	formatName    = "granary-history"
	formatVersion = 2
)

// never is the end of what was not answered: it may take effect at any moment after its begin.
const never = math.MaxInt64

// A cid is the identifier of a chunk, in lines written as "0x" and hexadecimal digits.
type cid uint64

func (c *cid) UnmarshalJSON(text []byte) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	value, err := strconv.ParseUint(written, 0, 64)
	*c = cid(value)
	return err
}

func (c cid) String() string {
	return fmt.Sprintf("0x%016x", uint64(c))
}

// nid is the identifier of the storage peer that created the chunk.
func (c cid) nid() uint64 {
	return uint64(c) >> 48
}

// A line is one line of a history, of whatever type.
type line struct {
	Type        string `json:"type"`
	Source      string `json:"source"`
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Client      string `json:"client"`
	Operation   string `json:"operation"`
	Chunk       *cid   `json:"chunk"`
	Chunks      []cid  `json:"chunks"`
	MaybeChunks []cid  `json:"maybeChunks"`
	All         bool   `json:"all"`
	Nid         uint64 `json:"nid"`
	Name        string `json:"name"`
	Value       int64  `json:"value"`
	Cid         cid    `json:"cid"`
	Saw         cid    `json:"saw"`
	Outcome     string `json:"outcome"`
	Promise     string `json:"promise"`
	Begin       int64  `json:"begin"`
	BeginNanos  int64  `json:"beginNanos"`
	End         *int64 `json:"end"`
	EndNanos    *int64 `json:"endNanos"`
	KeptNanos   int64  `json:"keptNanos"`
}

func (l *line) end() int64 {
	if l.End == nil {
		return never
	}
	return *l.End
}

// A history is what clients asked and saw, and what happened to those who answered.
type history struct {
	chunks        []line
	deaths        []line
	ends          []line
	rollbacks     []line
	names         []line
	nameRollbacks []line
}

// readHistory reads lines up to the end. An error names the line.
func readHistory(in io.Reader) (*history, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), 1<<28)
	read := &history{}
	for number := 1; lines.Scan(); number++ {
		var next line
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&next); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if err := read.add(next, number); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return read, nil
}

// What operations and outcomes there are of each type.
var (
	operations = map[string][]string{
		"chunk": {"create", "get", "put", "delete", "fence"},
		"name":  {"put", "put-if-absent", "remove", "get"},
	}
	outcomes = map[string][]string{
		"chunk": {"done", "not-found", "lost", "no-effect", "unknown"},
		"name":  {"done", "present", "no-effect", "unknown"},
	}
)

func (l *line) validate() error {
	if l.Type != "chunk" && l.Type != "name" {
		return nil
	}
	if !slices.Contains(operations[l.Type], l.Operation) {
		return fmt.Errorf("unknown operation %q of type %s", l.Operation, l.Type)
	}
	if !slices.Contains(outcomes[l.Type], l.Outcome) {
		return fmt.Errorf("unknown outcome %q of type %s", l.Outcome, l.Type)
	}
	if l.Type == "chunk" && l.Chunk == nil && (l.Operation != "create" || l.Outcome == "done") {
		return fmt.Errorf("a %s without its chunk", l.Operation)
	}
	return nil
}

func (h *history) add(next line, number int) error {
	if (number == 1) != (next.Type == "history") {
		return fmt.Errorf("type %q: the first line, and no other, is of type history", next.Type)
	}
	if next.Type != "history" && next.end() < next.Begin {
		return fmt.Errorf("ends at %d, before its begin %d", next.end(), next.Begin)
	}
	if err := next.validate(); err != nil {
		return err
	}
	switch next.Type {
	case "history":
		if next.Format != formatName || next.Version != formatVersion {
			return fmt.Errorf("format %q version %d; this program reads %q version %d",
				next.Format, next.Version, formatName, formatVersion)
		}
	case "chunk":
		h.chunks = append(h.chunks, next)
	case "incarnation-ended":
		h.ends = append(h.ends, next)
	case "owner-died":
		h.deaths = append(h.deaths, next)
	case "rollback":
		h.rollbacks = append(h.rollbacks, next)
	case "name":
		h.names = append(h.names, next)
	case "name-rollback":
		h.nameRollbacks = append(h.nameRollbacks, next)
	default:
		return fmt.Errorf("unknown type %q", next.Type)
	}
	return nil
}
