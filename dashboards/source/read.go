package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

// What a picture needs of a dashboard's JSON.
type jsonBoard struct {
	UID         string      `json:"uid"`
	Title       string      `json:"title"`
	Panels      []jsonPanel `json:"panels"`
	Annotations struct {
		List []jsonNote `json:"list"`
	} `json:"annotations"`
}

type jsonNote struct {
	Name            string `json:"name"`
	Expr            string `json:"expr"`
	IconColor       string `json:"iconColor"`
	UseValueForTime bool   `json:"useValueForTime"`
}

type jsonPanel struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	GridPos struct {
		X, Y, W, H int
	} `json:"gridPos"`
	Targets []struct {
		Expr         string `json:"expr"`
		LegendFormat string `json:"legendFormat"`
		RefID        string `json:"refId"`
	} `json:"targets"`
	FieldConfig struct {
		Defaults  jsonField `json:"defaults"`
		Overrides []struct {
			Matcher struct {
				Options any `json:"options"`
			} `json:"matcher"`
			Properties []struct {
				ID    string          `json:"id"`
				Value json.RawMessage `json:"value"`
			} `json:"properties"`
		} `json:"overrides"`
	} `json:"fieldConfig"`
	Transformations []struct {
		ID      string `json:"id"`
		Options struct {
			IndexByName  map[string]int    `json:"indexByName"`
			RenameByName map[string]string `json:"renameByName"`
		} `json:"options"`
	} `json:"transformations"`
}

type jsonField struct {
	Unit       string         `json:"unit"`
	NoValue    string         `json:"noValue"`
	Max        *float64       `json:"max"`
	Thresholds jsonThresholds `json:"thresholds"`
	Mappings   []jsonMapping  `json:"mappings"`
	Custom     struct {
		Stacking struct {
			Mode string `json:"mode"`
		} `json:"stacking"`
	} `json:"custom"`
}

type jsonThresholds struct {
	Steps []struct {
		Value *float64 `json:"value"`
		Color string   `json:"color"`
	} `json:"steps"`
}

type jsonMapping struct {
	Options map[string]struct {
		Text string `json:"text"`
	} `json:"options"`
}

func readBoard(file string) (jsonBoard, error) {
	var b jsonBoard
	text, err := os.ReadFile(file)
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

// text shows a value with its unit, or the word that stands for it.
func (f jsonField) text(value float64) string {
	for _, mapping := range f.Mappings {
		if word, ok := mapping.Options[fmt.Sprintf("%g", value)]; ok {
			return word.Text
		}
	}
	return withUnit(value, f.Unit)
}

// color is the threshold's that the value has reached, "" where there is none.
func (f jsonField) color(value float64) string {
	color := ""
	for _, step := range f.Thresholds.Steps {
		if step.Value == nil || value >= *step.Value {
			color = step.Color
		}
	}
	return color
}

// A tableColumn is a label, or the values of a query.
type tableColumn struct {
	label, ref string // one of the two
	title      string
	field      jsonField
}

// tableColumns are in the order of the transformation "organize".
func (p jsonPanel) tableColumns() []tableColumn {
	var found []tableColumn
	for _, t := range p.Transformations {
		if t.ID != "organize" {
			continue
		}
		for name := range t.Options.IndexByName {
			c := tableColumn{title: t.Options.RenameByName[name]}
			if _, err := fmt.Sscanf(name, "Value #%s", &c.ref); err != nil {
				c.label = name
			}
			c.field = p.override(c.title)
			found = append(found, c)
		}
		sort.Slice(found, func(i, j int) bool {
			return t.Options.IndexByName[found[i].key()] < t.Options.IndexByName[found[j].key()]
		})
	}
	return found
}

func (c tableColumn) key() string {
	if c.ref != "" {
		return "Value #" + c.ref
	}
	return c.label
}

func (p jsonPanel) override(title string) jsonField {
	field := jsonField{Unit: p.FieldConfig.Defaults.Unit}
	for _, o := range p.FieldConfig.Overrides {
		if o.Matcher.Options != title {
			continue
		}
		for _, property := range o.Properties {
			switch property.ID {
			case "unit":
				_ = json.Unmarshal(property.Value, &field.Unit)
			case "thresholds":
				_ = json.Unmarshal(property.Value, &field.Thresholds)
			case "mappings":
				_ = json.Unmarshal(property.Value, &field.Mappings)
			}
		}
	}
	return field
}
