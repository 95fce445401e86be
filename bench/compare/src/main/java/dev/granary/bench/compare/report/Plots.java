package dev.granary.bench.compare.report;

import dev.granary.bench.compare.report.Measured.Case;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** Plots of a report as PNG files. Axes of rates and times are logarithmic, since stores differ by powers of ten. */
final class Plots {

    private static final int WIDTH = 1_100;
    private static final int HEIGHT = 520;
    private static final int LABEL_DEGREES = 25;

    /** Colours that can be told apart without seeing red and green differently (Okabe and Ito), ours first. */
    private static final Map<String, Color> COLORS = Map.of(
            "granary", new Color(0x00, 0x72, 0xB2),
            "redis", new Color(0xD5, 0x5E, 0x00),
            "valkey", new Color(0xE6, 0x9F, 0x00),
            "memcached", new Color(0x00, 0x9E, 0x73),
            "hazelcast", new Color(0x56, 0xB4, 0xE9),
            "infinispan", new Color(0xCC, 0x79, 0xA7),
            "ignite", new Color(0x44, 0x44, 0x44));

    private final Measured measured;
    private final Path directory;

    Plots(Measured measured, Path directory) {
        this.measured = measured;
        this.directory = directory;
    }

    /** Bars of a figure, a group for each case. */
    void bars(String file, String title, String axis, List<Case> cases, ToDoubleFunction<Round> figure)
            throws IOException {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(axis)
                .build();
        style(chart.getStyler());
        chart.getStyler().setXAxisLabelRotation(LABEL_DEGREES).setYAxisLogarithmic(true);
        chart.getStyler().setAvailableSpaceFill(0.85);
        List<String> labels = cases.stream().map(Case::label).toList();
        double least = Double.MAX_VALUE;
        double most = 0;
        for (String store : measured.stores()) {
            List<Double> values = new ArrayList<>();
            for (Case each : cases) {
                double value = measured.median(each, store, figure);
                boolean drawn = value > 0;
                values.add(drawn ? value : null);
                least = drawn ? Math.min(least, value) : least;
                most = drawn ? Math.max(most, value) : most;
            }
            if (values.stream().anyMatch(value -> value != null)) {
                chart.addSeries(store, labels, values).setFillColor(color(store));
            }
        }
        decades(chart.getStyler(), least, most);
        save(chart, file);
    }

    private static Color color(String store) {
        return COLORS.getOrDefault(store, Color.LIGHT_GRAY);
    }

    private static void style(AxesChartStyler styler) {
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 16));
        styler.setPlotGridLinesColor(new Color(0xDD, 0xDD, 0xDD));
        styler.setXAxisMaxLabelCount(Integer.MAX_VALUE);
        styler.setYAxisDecimalPattern("#,###.###");
    }

    /** Has a logarithmic axis begin and end at powers of ten. */
    private static void decades(AxesChartStyler styler, double least, double most) {
        if (most > 0) {
            styler.setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))));
            styler.setYAxisMax(Math.pow(10, Math.ceil(Math.log10(most))));
        }
    }

    private void save(Chart<?, ?> chart, String file) throws IOException {
        BitmapEncoder.saveBitmap(chart, directory.resolve(file).toString(), BitmapEncoder.BitmapFormat.PNG);
    }
}
