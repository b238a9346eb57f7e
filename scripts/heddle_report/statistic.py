"""What a number of a figure is of the values of its cell, where that is no mean."""

NEAR_BEST = 0.95  # of the best performance: from here on a point counts as tuned (Zorua, Section 7.3)
IN_WORDS = {"least": "least", "most": "largest", "range": "most ÷ least − 1",
            "porting-loss": "largest loss of performance by porting",
            "porting-growth": "largest growth of time by porting"}
PICKED = {"least": min, "most": max}


def value_range(values):
    """The most over the least of values above zero, less 1: 0 where all are equal. None of none."""
    if not values or min(values) <= 0:
        return None
    return max(values) / min(values) - 1


def porting_growth(times):
    """times: {machine: {point: time}}. The largest growth of time, over the machine's own best, of a point that is
    tuned on one machine and runs on another. A point is tuned where it performs within 5 % of the best. Points that
    the other machine does not run are left out. None where no machine has a tuned point of another."""
    growths = []
    for source, on_source in times.items():
        best = min(on_source.values())
        tuned = [point for point, time in on_source.items() if best >= NEAR_BEST * time]
        for target, on_target in times.items():
            if target != source:
                target_best = min(on_target.values())
                growths += [on_target[point] / target_best - 1 for point in tuned if point in on_target]
    return max(growths, default=None)


def porting_loss(times):
    """The same as a loss of performance, where performance is 1 / time."""
    growth = porting_growth(times)
    return None if growth is None else 1 - 1 / (1 + growth)
