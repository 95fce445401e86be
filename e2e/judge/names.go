package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A nameState is what one name stands for at a moment: 0 is nothing. States are compared by ==.
type nameState struct {
	chunk cid
	// What it stood for before the last changes, as far back as they may be undone, the latest last: "chunk;" each.
	before string
}

// A nameInput is an operation on one name, or the loss of all names.
type nameInput struct {
	line
	open        bool
	mayBeUndone bool
}

// nameModel is one name on its own: a variable that is set, set if it is empty, emptied and read.
var nameModel = (&porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{nameState{}} },
	Step: func(state, input, _ interface{}) []interface{} {
		var after []interface{}
		for _, next := range stepName(state.(nameState), input.(nameInput)) {
			after = append(after, next)
		}
		return after
	},
	DescribeOperation: func(input, _ interface{}) string {
		in := input.(nameInput)
		return fmt.Sprintf("%s %v saw %v: %s", in.Operation, in.Cid, in.Saw, in.Outcome)
	},
}).ToModel()

func stepName(state nameState, in nameInput) []nameState {
	if in.Operation == "rollback" {
		return namesRolledBack(state)
	}
	fits := state.chunk == in.Saw
	if in.Operation == "put-if-absent" {
		fits = (in.Outcome == "done") == (state.chunk == 0)
	}
	after := state.chunk
	switch in.Operation {
	case "put":
		after = in.Cid
	case "put-if-absent":
		if state.chunk == 0 {
			after = in.Cid
		}
	case "remove":
		after = 0
	case "get":
	default:
		panic("an unknown operation " + in.Operation)
	}
	next := nameState{chunk: after}
	if in.mayBeUndone {
		next.before = state.before
		if after != state.chunk {
			next.before += fmt.Sprintf("%d;", state.chunk)
		}
	}
	switch {
	case in.open:
		return []nameState{next, state}
	case fits:
		return []nameState{next}
	}
	return nil
}

func namesRolledBack(state nameState) []nameState {
	possible := []nameState{state}
	changes := strings.SplitAfter(state.before, ";")
	for i := len(changes) - 2; i >= 0; i-- { // behind the last ';' is nothing
		var before uint64
		if _, err := fmt.Sscanf(changes[i], "%d;", &before); err != nil {
			panic(err)
		}
		possible = append(possible, nameState{cid(before), strings.Join(changes[:i], "")})
	}
	return possible
}

// A nameHistory is all that may say something of one name.
type nameHistory struct {
	name       string
	operations []porcupine.Operation
}

// namesOf parts a history by names.
func namesOf(h *history) []nameHistory {
	byName := map[string][]porcupine.Operation{}
	for _, next := range h.names {
		if next.Outcome == "no-effect" || (next.Operation == "get" && next.Outcome == "unknown") {
			continue
		}
		in := nameInput{line: next, open: next.Outcome == "unknown", mayBeUndone: mayBeUndone(h, next)}
		if in.open {
			in.End = nil
		}
		byName[next.Name] = append(byName[next.Name], porcupine.Operation{Input: in, Call: in.Begin, Return: in.end()})
	}
	var all []nameHistory
	for name, operations := range byName {
		for _, rollback := range h.nameRollbacks {
			rollback.Operation = "rollback"
			operations = append(operations,
				porcupine.Operation{Input: nameInput{line: rollback}, Call: rollback.Begin, Return: rollback.end()})
		}
		all = append(all, nameHistory{name, operations})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// Whether copies of the names were lost that nobody had promised to keep this change in.
func mayBeUndone(h *history, change line) bool {
	for _, rollback := range h.nameRollbacks {
		if change.Begin < rollback.end() && (change.EndNanos == nil || *change.EndNanos > rollback.KeptNanos) {
			return true
		}
	}
	return false
}
