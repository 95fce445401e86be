// Command judge reads histories of what clients asked and saw (docs/formats/history.md) and says whether each chunk and each name
// behaved like one: whether there is an order in which every operation takes effect at one moment between its begin and its
// end, and every answer follows. It shares no code with the checker of the simulator.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	limit := flag.Duration("limit", time.Minute, "how long to look at one chunk or name")
	pages := flag.String("pages", "", "the folder for pages that show what no order explains")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: judge [-limit TIME] [-pages FOLDER] FILE-OR-FOLDER...")
		flag.PrintDefaults()
	}
	flag.Parse()
	files, err := filesOf(flag.Args())
	if err == nil && len(files) == 0 {
		err = errors.New("no file or folder is named")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no histories:", err)
		os.Exit(2)
	}
	if !judgeAll(judge{limit: *limit, pages: *pages}, files) {
		os.Exit(1)
	}
}

// judgeAll prints what is wrong in which history and, at the end, how many have passed.
func judgeAll(with judge, files []string) bool {
	passed, failed, chunks, names := 0, 0, 0, 0
	for _, file := range files {
		said, err := judgeFile(with, file)
		chunks += said.chunks
		names += said.names
		if err != nil {
			said.problems = append(said.problems, err.Error())
		}
		if len(said.problems) == 0 {
			passed++
			continue
		}
		failed++
		for _, problem := range said.problems {
			fmt.Printf("%s: %s\n", file, problem)
		}
	}
	fmt.Printf("%d chunks and %d names judged\n%d passed, %d failed\n", chunks, names, passed, failed)
	return failed == 0
}

func judgeFile(with judge, file string) (verdict, error) {
	in, err := os.Open(file)
	if err != nil {
		return verdict{}, err
	}
	defer in.Close()
	read, err := readHistory(in)
	if err != nil {
		return verdict{}, err
	}
	if len(read.chunks)+len(read.names) == 0 {
		return verdict{}, fmt.Errorf("a history of nothing")
	}
	return with.history(strings.TrimSuffix(filepath.Base(file), ".jsonl"), read), nil
}

// filesOf are the files of the arguments, and those of folders that end with .jsonl. A folder without any is an error: a suite that
// has left nothing must not pass for one whose histories are right.
func filesOf(arguments []string) ([]string, error) {
	var files []string
	for _, argument := range arguments {
		before := len(files)
		err := filepath.WalkDir(argument, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !entry.IsDir() && (path == argument || strings.HasSuffix(path, ".jsonl")) {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("there is none in %s", argument)
		}
	}
	return files, nil
}
