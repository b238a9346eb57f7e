"""Metrics in words, for titles, axes and columns. A metric without an entry, such as a counter, keeps its name."""

import re

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
    "response_ps": "response time of a request",
    "queueing_ps": "time of a request in the queue",
    "service_ps": "service time of a request",
    "handover_ps": "time from the decision to the hand-over of an SM",
    "handover_count": "hand-overs of SMs",
    "handover_mean_ps": "mean time to hand an SM over",
    "handover_max_ps": "longest time to hand an SM over",
    "blocks_flushed": "blocks flushed",
    "lost_block_cycles": "block cycles lost to flushes",
    "lost_warp_instructions": "warp instructions lost to flushes",
    "unfairness_mean": "mean unfairness over time",
    "unfairness_most": "largest unfairness over time",
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


SERVED = {
    "requests_arrived": "requests",
    "requests_served": "requests served",
    "requests_shed": "requests shed",
    "requests_unfinished": "requests not ended",
    "deadlines_met": "share served in time",
    "goodput": "requests served in time per second",
    "throughput": "requests served per second",
    "normalised_throughput": "throughput over that of the server alone",
    "offered_load": "offered load",
    "tokens_per_second": "tokens per second",
    "sequences_mean": "mean sequences of a step",
    "cache_evictions": "sequences that lost their keys and values",
}
TIMES = {"response": "response time", "queueing": "time in the queue", "service": "service time",
         "handover": "time to hand an SM over", "ttft": "time to the first token",
         "tbt": "time between tokens", "tpot": "mean time between the tokens of a request"}
SERVER_METRIC = re.compile(r"(?P<name>.+?)(?:\.(?P<application>\d+|last))?$")
TIME_METRIC = re.compile(r"(?P<time>response|queueing|service|handover|ttft|tbt|tpot)_"
                         r"(?P<which>mean|max|p\d+(?:_\d+)?)"
                         r"(?P<end>_low|_high)?_ps$")
ENDS = {"_low": "lower end of the ", "_high": "upper end of the "}


def of(metric):
    return METRICS.get(metric) or _of_server(metric) or metric


def _of_server(metric):
    """Of a server's metric, which may end in the number of its application or in `last`; empty of others."""
    found = SERVER_METRIC.match(metric)
    words = SERVED.get(found["name"], "")
    if time := TIME_METRIC.match(found["name"]):
        which = {"mean": "mean", "max": "longest"}.get(time["which"]) or time["which"].replace("_", ".")
        words = f"{ENDS.get(time['end'], '')}{which} {TIMES[time['time']]}"
    if not words or not found["application"]:
        return words
    return f"{words}, " + ("last server" if found["application"] == "last" else f"application {found['application']}")


def title(metric):
    """At the start of a title; a name stays as it is."""
    words = of(metric)
    return words[:1].upper() + words[1:] if words != metric else words


def key(metric):
    """Beside the words: the name that campaigns and tables have; empty where the words are the name."""
    return metric if of(metric) not in (metric, metric.removesuffix("_ps")) else ""
