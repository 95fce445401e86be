package main

import (
	"image"
	"image/color"
	pixels "image/draw"
	"image/png"
	"os"
	"sort"
)

// save writes a picture with 256 colours, which is a third as large: pictures are kept in the repository.
func save(picture image.Image, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(out, indexed(picture)); err != nil {
		return err
	}
	return out.Close()
}

// indexed keeps the most frequent colours, and takes the nearest of them for the others.
func indexed(picture image.Image) image.Image {
	counts := map[color.RGBA]int{}
	bounds := picture.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	colors := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colors = append(colors, c)
	}
	sort.Slice(colors, func(i, j int) bool {
		if counts[colors[i]] != counts[colors[j]] {
			return counts[colors[i]] > counts[colors[j]]
		}
		return key(colors[i]) < key(colors[j])
	})
	var kept color.Palette
	for _, c := range colors[:min(256, len(colors))] {
		kept = append(kept, c)
	}
	smaller := image.NewPaletted(bounds, kept)
	pixels.Draw(smaller, bounds, picture, bounds.Min, pixels.Src)
	return smaller
}

// key orders colours that are equally frequent, so that the same picture gives the same file.
func key(c color.RGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
