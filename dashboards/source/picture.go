package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// All lengths are in points, of which a picture has 72 in each `resolution` pixels.
const (
	pictureWidth = 1320
	gridWidth    = pictureWidth / gridColumns
	gridHeight   = 23
	headHeight   = 44
	gap          = 3
	resolution   = 90
)

var (
	ink   = color.RGBA{0x22, 0x28, 0x31, 255}
	faint = color.RGBA{0x70, 0x78, 0x83, 255}
	frame = color.RGBA{0xd5, 0xda, 0xe0, 255}
	page  = color.RGBA{0xf4, 0xf5, 0xf7, 255}

	named = map[string]color.RGBA{
		green: {0x2c, 0x8a, 0x4a, 255}, yellow: {0xd9, 0x9a, 0x00, 255}, red: {0xc9, 0x2a, 0x2a, 255},
		blue: {0x2b, 0x6c, 0xb0, 255}, "purple": {0x7a, 0x4f, 0xb5, 255},
	}
	palette = []color.RGBA{
		{0x1f, 0x77, 0xb4, 255}, {0xff, 0x7f, 0x0e, 255}, {0x2c, 0xa0, 0x2c, 255}, {0xd6, 0x27, 0x28, 255},
		{0x94, 0x67, 0xbd, 255}, {0x8c, 0x56, 0x4b, 255}, {0xe3, 0x77, 0xc2, 255}, {0x17, 0xbe, 0xcf, 255},
		{0xbc, 0xbd, 0x22, 255}, {0x4c, 0x4c, 0x4c, 255},
	}
)

// A sheet is the picture of one dashboard while it is drawn.
type sheet struct {
	canvas vgdraw.Canvas
	server server
	notes  []noted
	empty  []string // titles of panels without data
}

// draw makes the picture, and returns the titles of panels that have no data.
func draw(b jsonBoard, s server, file string) ([]string, error) {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	rows := 0
	for _, p := range b.Panels {
		rows = max(rows, p.GridPos.Y+p.GridPos.H)
	}
	image := vgimg.NewWith(
		vgimg.UseWH(pictureWidth, vg.Length(headHeight+rows*gridHeight+gap)),
		vgimg.UseDPI(resolution), vgimg.UseBackgroundColor(page))
	on := &sheet{canvas: vgdraw.New(image), server: s}
	var err error
	if on.notes, err = notes(b, s); err != nil {
		return nil, err
	}
	on.head(b)
	for _, p := range b.Panels {
		if err := on.panel(p); err != nil {
			return nil, fmt.Errorf("panel '%s': %w", p.Title, err)
		}
	}
	return on.empty, save(image.Image(), file)
}

func (on *sheet) head(b jsonBoard) {
	top := on.canvas.Max.Y
	on.write(b.Title, 16, true, ink, 8, top-20)
	about := fmt.Sprintf("%s/%s   %s to %s", on.server.variables["namespace"], on.server.variables["granary"],
		on.server.from.UTC().Format("2006-01-02 15:04:05"), on.server.to.UTC().Format("15:04:05 MST"))
	on.write(about, 10, false, faint, 8, top-36)
	x := vg.Length(pictureWidth - 330)
	for _, n := range b.Annotations.List {
		on.fill(shade(n.IconColor), x, top-34, 10, 10)
		on.write(n.Name, 9, false, faint, x+14, top-33)
		x += 110
	}
}

func (on *sheet) panel(p jsonPanel) error {
	x := vg.Length(p.GridPos.X * gridWidth)
	y := on.canvas.Max.Y - vg.Length(headHeight+(p.GridPos.Y+p.GridPos.H)*gridHeight)
	w, h := vg.Length(p.GridPos.W*gridWidth), vg.Length(p.GridPos.H*gridHeight)
	if p.Type == "row" {
		on.write(p.Title, 12, true, ink, x+8, y+7)
		return nil
	}
	x, y, w, h = x+gap, y+gap, w-2*gap, h-2*gap
	on.fill(frame, x-0.7, y-0.7, w+1.4, h+1.4)
	on.fill(color.White, x, y, w, h)
	inner := vgdraw.Canvas{Canvas: on.canvas.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + h}}}
	switch p.Type {
	case "stat":
		return on.number(p, inner)
	case "table":
		return on.table(p, inner)
	case "heatmap":
		return on.heat(p, inner)
	case "timeseries":
		return on.lines(p, inner)
	default:
		return fmt.Errorf("a picture of a panel of type %s is not made", p.Type)
	}
}

// none shows that a panel has no data, and returns whether that is so.
func (on *sheet) none(p jsonPanel, in vgdraw.Canvas, found []line) bool {
	for _, l := range found {
		if _, ok := lastOf(l.values); ok {
			return false
		}
	}
	word := p.FieldConfig.Defaults.NoValue
	if word == "" {
		word = "no data"
	}
	on.empty = append(on.empty, p.Title)
	on.write(word, 11, false, faint, in.Center().X-style(11, false, faint).Width(word)/2, in.Center().Y-6)
	return true
}

func style(size vg.Length, bold bool, ink color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = 2
	}
	return text.Style{Color: ink, Font: f, Handler: plot.DefaultTextHandler}
}

func (on *sheet) write(what string, size vg.Length, bold bool, ink color.Color, x, y vg.Length) {
	on.canvas.FillText(style(size, bold, ink), vg.Point{X: x, Y: y}, what)
}

// fitted is the beginning of a text that has room.
func fitted(what string, size, room vg.Length) string {
	s := style(size, false, ink)
	letters := []rune(what)
	for len(letters) > 1 && s.Width(string(letters)) > room {
		letters = letters[:len(letters)-1]
	}
	return string(letters)
}

func (on *sheet) fill(c color.Color, x, y, w, h vg.Length) {
	on.canvas.FillPolygon(c, []vg.Point{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y + h}, {X: x, Y: y + h}})
}

// shade is a colour that others can be seen through.
func shade(name string) color.NRGBA {
	c := named[name]
	return color.NRGBA{c.R, c.G, c.B, 40}
}
