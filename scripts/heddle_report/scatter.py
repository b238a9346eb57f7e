"""Measured numbers beside simulated ones, as a plot of points."""

import math

from . import figure

BAND = 0.1  # of the measured number, which a plot shows as near
SHORT = 100  # a scale whose ends have a smaller ratio has numbers between the powers of ten


def between(ends):
    """Twice and five times the powers of ten of a short scale."""
    low, high = ends
    if high / low >= SHORT:
        return ()
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    numbers = [step * 10.0**power for power in powers for step in (2, 5)]
    return [number for number in numbers if low / 2 < number < high * 2]


def drawing_of(points, title, unit, what):
    """points: (name, measured, simulated), both above 0; what: one of them is, such as "a kernel at one size"."""
    with figure.style():
        drawing, axes = figure.new(title, height=4.6)
        numbers = [number for _, measured, simulated in points for number in (measured, simulated)]
        ends = [min(numbers), max(numbers)]
        figure.logarithmic(axes.xaxis, also=between(ends))
        figure.logarithmic(axes.yaxis, also=between(ends))
        axes.fill_between(ends, [end * (1 - BAND) for end in ends], [end * (1 + BAND) for end in ends],
                          color=figure.GRID, linewidth=0, zorder=0)
        axes.plot(ends, ends, color="#9aa5b1", linewidth=1, linestyle=(0, (3, 3)), zorder=1)
        names = list(dict.fromkeys(name for name, _, _ in points))
        handles = []
        for index, name in enumerate(names):
            of_name = [(measured, simulated) for other, measured, simulated in points if other == name]
            handles += axes.plot(*zip(*of_name), linestyle="none", color=figure.colour(index),
                                 marker=figure.marker(index), label=name)
        axes.grid()
        figure.legend(axes, names, handles)
        figure.name_axes(axes, f"measured ({unit}), logarithmic", f"simulated ({unit}), logarithmic")
        return figure.Drawing(drawing, title, "",
                              f"Each point: {what}; {len(points)} in all. Dashed: both sides are equal. "
                              f"Grey: they differ by at most {BAND:.0%}.")
