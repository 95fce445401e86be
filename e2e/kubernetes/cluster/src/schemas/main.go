// Program schemas makes JSON schemas for kubeconform from the OpenAPI document of a Kubernetes version:
//
//	schemas swagger.json FOLDER
//
// FOLDER gets definitions.json, and for each kind a file such as deployment-apps-v1.json that refers to it. Objects
// take no fields but their own, as with `kubectl apply --validate=strict`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type schema = map[string]any

const reference = "#/definitions/"

// Types that say more, or take more, than their definition in the document does.
var special = map[string]schema{
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": []string{"string", "integer"}},
	"io.k8s.apimachinery.pkg.api.resource.Quantity":   {"type": []string{"string", "number"}},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: schemas swagger.json FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(document, folder string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	var swagger struct {
		Definitions map[string]schema `json:"definitions"`
	}
	if err := json.Unmarshal(text, &swagger); err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	kinds := 0
	for name, definition := range swagger.Definitions {
		if replacement, is := special[name]; is {
			swagger.Definitions[name] = replacement
			continue
		}
		if _, has := definition["properties"]; has {
			definition["additionalProperties"] = false
		}
		for _, kind := range kindsOf(definition) {
			file := schema{"$ref": "definitions.json" + reference + name}
			if err := write(filepath.Join(folder, kind+".json"), file); err != nil {
				return err
			}
			kinds++
		}
	}
	if kinds == 0 {
		return fmt.Errorf("%s has no kinds", document)
	}
	return write(filepath.Join(folder, "definitions.json"), schema{"definitions": swagger.Definitions})
}

// kindsOf returns the names under which kubeconform looks for a definition.
func kindsOf(definition schema) []string {
	var names []string
	kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
	for _, entry := range kinds {
		of, _ := entry.(map[string]any)
		group, _, _ := strings.Cut(fmt.Sprint(of["group"]), ".")
		parts := []string{fmt.Sprint(of["kind"]), group, fmt.Sprint(of["version"])}
		if group == "" {
			parts = []string{parts[0], parts[2]}
		}
		names = append(names, strings.ToLower(strings.Join(parts, "-")))
	}
	return names
}

func write(path string, value schema) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
