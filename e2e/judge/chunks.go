package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// What a chunk is when it has no value; values are positive.
const (
	neverThere int64 = 0
	deleted    int64 = -1
	lost       int64 = -2
)

// What acknowledgements of changes promise, from less to more.
var promises = map[string]int{"async": 0, "replicated": 1, "synced": 2}

// A chunkState is what one chunk is at a moment. States are compared by ==.
type chunkState struct {
	value int64
	// The last changes that a rollback may undo, the latest last: "before/promise;" each. Empty where nothing is rolled back.
	undoable string
	// The creates with an unknown chunk that have made this one: ",value," each. Only their undoing asks for it.
	made string
}

// A chunkInput is an operation on one chunk, or what happened to it.
type chunkInput struct {
	line
	// It may have happened at any moment after its begin, or never.
	open bool
	// A create of which nobody knows which chunk it made, if it made one.
	stranger bool
	// Rollbacks may undo it.
	rollsBack bool
}

func (in chunkInput) String() string {
	text := in.Operation
	if in.Value != 0 {
		text += fmt.Sprintf(" %d", in.Value)
	}
	return text + ": " + in.Outcome
}

// chunkModel is one chunk on its own. What it answers follows from the value; whether it need have happened at all from the
// outcome, so that steps have several states.
var chunkModel = (&porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{chunkState{}} },
	Step: func(state, input, _ interface{}) []interface{} {
		var after []interface{}
		for _, next := range stepChunk(state.(chunkState), input.(chunkInput)) {
			after = append(after, next)
		}
		return after
	},
	DescribeOperation: func(input, _ interface{}) string { return input.(chunkInput).String() },
}).ToModel()

func stepChunk(state chunkState, in chunkInput) []chunkState {
	if in.open {
		return append(carryOut(state, in), state)
	}
	switch in.Outcome {
	case "not-found":
		return only(state, !state.isThere() && state.value != lost)
	case "lost":
		return only(state, state.value == lost)
	default:
		return carryOut(state, in)
	}
}

func only(state chunkState, possible bool) []chunkState {
	if possible {
		return []chunkState{state}
	}
	return nil
}

func (s chunkState) isThere() bool {
	return s.value > 0
}

func carryOut(state chunkState, in chunkInput) []chunkState {
	switch in.Operation {
	case "create":
		if state.isThere() || state.value == lost {
			return nil // one identifier for two objects, or for one that is lost
		}
		after := changed(state, in, in.Value)
		if in.stranger {
			after.made += fmt.Sprintf(",%d,", in.Value)
		}
		return []chunkState{after}
	case "get":
		return only(state, state.value == in.Value)
	case "put":
		if !state.isThere() {
			return nil
		}
		return []chunkState{changed(state, in, in.Value)}
	case "fence":
		return only(chunkState{value: state.value, made: state.made}, state.isThere())
	case "delete":
		if !state.isThere() {
			return nil
		}
		return []chunkState{changed(state, in, deleted)}
	case "undo":
		if !state.isThere() || !strings.Contains(state.made, fmt.Sprintf(",%d,", in.Value)) {
			return nil
		}
		return []chunkState{changed(state, in, deleted)}
	case "owner-died":
		if state.value == neverThere {
			return []chunkState{state}
		}
		return []chunkState{{value: lost, made: state.made}}
	case "rollback":
		return rolledBack(state, promises[in.Promise])
	}
	panic("an unknown operation " + in.Operation)
}

func changed(state chunkState, in chunkInput, value int64) chunkState {
	after := chunkState{value: value, made: state.made}
	if in.rollsBack && in.Promise != "synced" {
		after.undoable = state.undoable + fmt.Sprintf("%d/%d;", state.value, promises[in.Promise])
	}
	return after
}

// The last changes are undone, none, some, or all up to the first that promised enough.
func rolledBack(state chunkState, kept int) []chunkState {
	possible := []chunkState{state}
	changes := strings.SplitAfter(state.undoable, ";")
	for i := len(changes) - 2; i >= 0; i-- { // behind the last ';' is nothing
		var before int64
		var promise int
		if _, err := fmt.Sscanf(changes[i], "%d/%d;", &before, &promise); err != nil {
			panic(err)
		}
		if promise >= kept {
			break
		}
		possible = append(possible,
			chunkState{value: before, undoable: strings.Join(changes[:i], ""), made: state.made})
	}
	return possible
}

// A chunkHistory is all that may say something of one chunk.
type chunkHistory struct {
	chunk  cid
	inputs []chunkInput
}

// chunksOf parts a history by chunks. A create that was not answered may have made any of them, since identifiers of deleted
// chunks are given again, and the client may have deleted it again. Those whose value was read here come first; the others, which
// make a search long, are only in the second history of a chunk, to be asked when the first one explains nothing.
func chunksOf(h *history) (likely, all []chunkHistory) {
	byChunk := map[cid][]chunkInput{}
	for _, next := range h.chunks {
		if next.Chunk != nil && next.Outcome != "no-effect" {
			byChunk[*next.Chunk] = append(byChunk[*next.Chunk], inputsOf(next, h)...)
		}
	}
	suspects := suspectsOf(h)
	for chunk, inputs := range byChunk {
		rolls := rollbacksOf(h, chunk)
		inputs = append(inputs, deathsOf(h, chunk)...)
		known, unknown := strangersOf(h, suspects, chunk, valuesRead(inputs))
		likely = append(likely, chunkHistory{chunk, withRollbacks(append(inputs, known...), rolls)})
		everything := append(append([]chunkInput{}, inputs...), append(known, unknown...)...)
		all = append(all, chunkHistory{chunk, withRollbacks(everything, rolls)})
	}
	sort.Slice(likely, func(i, j int) bool { return likely[i].chunk < likely[j].chunk })
	sort.Slice(all, func(i, j int) bool { return all[i].chunk < all[j].chunk })
	return likely, all
}

// A change that was answered by "lost" may have been carried out before the owner died: it is a look that found the chunk
// lost, and a change that may have happened. So is one that did not find the chunk, if that was rolled back meanwhile.
func inputsOf(next line, h *history) []chunkInput {
	change := next.Operation == "put" || next.Operation == "delete"
	switch {
	case (next.Operation == "get" || next.Operation == "fence") && next.Outcome == "unknown":
		return nil
	case change && (next.Outcome == "lost" || next.Outcome == "not-found" && rolledBackDuring(h, next)):
		return []chunkInput{{line: next}, {line: open(next), open: true}}
	case next.Outcome == "unknown":
		return []chunkInput{{line: open(next), open: true}}
	}
	return []chunkInput{{line: next}}
}

func rolledBackDuring(h *history, change line) bool {
	for _, rollback := range rollbacksOf(h, *change.Chunk) {
		if rollback.Begin < change.end() && change.Begin < rollback.end() {
			return true
		}
	}
	return false
}

func open(of line) line {
	of.Outcome = "unknown"
	of.End = nil
	return of
}

func withRollbacks(inputs, rollbacks []chunkInput) []chunkInput {
	if len(rollbacks) > 0 {
		for i := range inputs {
			inputs[i].rollsBack = true
		}
	}
	return append(inputs, rollbacks...)
}

func rollbacksOf(h *history, chunk cid) []chunkInput {
	var inputs []chunkInput
	for _, rollback := range h.rollbacks {
		if rollback.All || slices.Contains(rollback.Chunks, chunk) {
			rollback.Operation = "rollback"
			rollback.Outcome = "done"
			inputs = append(inputs, chunkInput{line: rollback})
		}
	}
	return inputs
}

func deathsOf(h *history, chunk cid) []chunkInput {
	var inputs []chunkInput
	for _, death := range h.deaths {
		death.Operation = "owner-died"
		death.Outcome = "done"
		if slices.Contains(death.MaybeChunks, chunk) {
			inputs = append(inputs, chunkInput{line: open(death), open: true})
		} else if slices.Contains(death.Chunks, chunk) {
			inputs = append(inputs, chunkInput{line: death})
		}
	}
	return inputs
}

func valuesRead(inputs []chunkInput) map[int64]bool {
	read := map[int64]bool{}
	for _, in := range inputs {
		if in.Operation == "get" {
			read[in.Value] = true
		}
	}
	return read
}

// suspectsOf are the creates that may have made another chunk than an answer says.
func suspectsOf(h *history) []line {
	var suspects []line
	for _, next := range h.chunks {
		if next.Operation == "create" && (next.Outcome == "unknown" ||
			next.Outcome == "done" && (outlivedItsOwner(h, next) || len(endedDuring(h, next)) > 0)) {
			suspects = append(suspects, next)
		}
	}
	return suspects
}

// strangersOf are the creates that may have made a chunk although no answer says so, those whose values were read first.
func strangersOf(h *history, suspects []line, chunk cid, read map[int64]bool) (known, unknown []chunkInput) {
	for _, next := range suspects {
		made := chunkInput{line: open(next), open: true, stranger: true}
		inputs := []chunkInput{made}
		undone := next.Outcome == "done" && *next.Chunk != chunk && slices.Contains(endedDuring(h, next), chunk.nid())
		if next.Outcome == "unknown" || undone {
			undo := made
			undo.Operation = "undo"
			undo.stranger = false
			inputs = append(inputs, undo)
		} else if *next.Chunk == chunk || next.Chunk.nid() != chunk.nid() || !outlivedItsOwner(h, next) {
			continue
		}
		if read[next.Value] {
			known = append(known, inputs...)
		} else {
			unknown = append(unknown, inputs...)
		}
	}
	return known, unknown
}

// The NIDs of storage peers that ended while a create went on: it may have made a chunk there, which its client has deleted
// before it had it made elsewhere.
func endedDuring(h *history, create line) []uint64 {
	var nids []uint64
	for _, end := range h.ends {
		if create.Begin < end.Begin && end.Begin < create.end() {
			nids = append(nids, end.Nid)
		}
	}
	return nids
}

// The owner died while the create went on: an attempt before may have made another chunk, lost since.
func outlivedItsOwner(h *history, create line) bool {
	for _, death := range h.deaths {
		if death.Nid == create.Chunk.nid() && create.Begin < death.end() && death.Begin < create.end() {
			return true
		}
	}
	return false
}

func operationsOf(inputs []chunkInput) []porcupine.Operation {
	var operations []porcupine.Operation
	for _, in := range inputs {
		operations = append(operations, porcupine.Operation{Input: in, Call: in.Begin, Return: in.end()})
	}
	return operations
}
