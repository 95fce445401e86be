package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// A verdict is what came out of one history.
type verdict struct {
	chunks   int
	names    int
	problems []string
}

// A judge looks for an order of operations that explains what was seen, chunk by chunk and name by name.
type judge struct {
	// How long it looks at one chunk or name; without a result the history counts as failed.
	limit time.Duration
	// Where pages go that show what was looked at; empty for none.
	pages string
}

func (j judge) history(title string, h *history) verdict {
	likely, all := chunksOf(h)
	said := verdict{chunks: len(likely)}
	for i := range likely {
		operations := operationsOf(likely[i].inputs)
		result, _ := porcupine.CheckOperationsVerbose(chunkModel, operations, j.limit)
		if result != porcupine.Ok && len(all[i].inputs) > len(likely[i].inputs) {
			operations = operationsOf(all[i].inputs)
		} else if result == porcupine.Ok {
			continue
		}
		said.add(j.check(chunkModel, operations, "chunk "+likely[i].chunk.String(), title))
	}
	names := namesOf(h)
	said.names = len(names)
	for _, name := range names {
		said.add(j.check(nameModel, name.operations, "name "+name.name, title))
	}
	return said
}

func (v *verdict) add(problem string) {
	if problem != "" {
		v.problems = append(v.problems, problem)
	}
}

// check says what is wrong; nothing when there is an order that explains everything.
func (j judge) check(model porcupine.Model, operations []porcupine.Operation, what, title string) string {
	result, info := porcupine.CheckOperationsVerbose(model, operations, j.limit)
	if result == porcupine.Ok {
		return ""
	}
	if j.pages != "" {
		page := filepath.Join(j.pages, strings.ReplaceAll(title+" "+what+".html", "/", "_"))
		if err := porcupine.VisualizePath(model, info, page); err != nil {
			fmt.Fprintln(os.Stderr, "cannot write", page+":", err)
		}
	}
	if result == porcupine.Unknown {
		return fmt.Sprintf("%s: undecided after %v, with %d operations", what, j.limit, len(operations))
	}
	return fmt.Sprintf("%s: no order explains what was seen of it in %d operations", what, len(operations))
}
