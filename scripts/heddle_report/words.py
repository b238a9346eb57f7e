"""Metrics in words, for titles, axes and columns. A metric without an entry, such as a counter, keeps its name."""

METRICS = {
    "antt": "average normalised turnaround time",
    "ntt": "normalised turnaround time",
    "stp": "system throughput",
    "ipc": "warp instructions per cycle",
    "minimum_speedup": "least speed-up of an application",
    "harmonic_speedup": "harmonic mean of the speed-ups",
    "sequential_speedup": "speed-up over one application after the other",
    "shared_minimum_speedup": "least speed-up until the first target",
    "completions_per_second": "applications completed per second",
    "occupancy": "SM time with a block",
    "fill": "resident blocks of those that fit",
    "engine_busy": "time with a kernel on the engine",
    "sm_busy": "SM time with a resident block",
    "turnaround_ps": "turnaround",
    "prioritised_turnaround_ps": "turnaround of the prioritised application",
    "simulated_ps": "simulated time",
    "mean_power": "mean power",
    "dynamic_power": "dynamic power",
    "energy_delay_product": "energy-delay product",
    "static_share": "static share of the energy",
    "warp_instructions": "warp instructions",
    "l1_miss_rate": "miss rate of L1",
    "l2_miss_rate": "miss rate of L2",
    "l2_mpki": "misses of L2 per 1000 instructions",
    "stalled_cycles": "stalled SM cycles",
    "stalled_share": "stalled share of the SM cycles",
    "stalled_slots": "stalled issue slots",
    "stalled_slot_share": "stalled share of the issue slots",
}


def of(metric):
    return METRICS.get(metric, metric)


def title(metric):
    """At the start of a title; a name stays as it is."""
    words = of(metric)
    return words[:1].upper() + words[1:] if metric in METRICS else words


def key(metric):
    """Beside the words: the name that campaigns and tables have; empty where the words are the name."""
    return metric if metric in METRICS and METRICS[metric] != metric.removesuffix("_ps") else ""
