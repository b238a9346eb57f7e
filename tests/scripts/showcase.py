#!/usr/bin/python3
"""Every kind of plot over one made-up campaign.   tests/scripts/showcase.py DIR [--partial] [--times N]"""

import argparse
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True

from made_up import MadeUp  # noqa: E402

SCHEDULERS = ["fcfs-s", "fcfs-m", "token"]
PAIRS = ["bfs", "sgemm", "spmv", "lbm", "mri-q", "sad", "stencil", "tpacf"]
PLOTS = [("bars", "sm.count", "antt", "policy.sm_partitioner"),
         ("heat-map", "applications.0", "applications.1", "stp"),
         ("curves", "registers", "antt", "policy.sm_partitioner"),
         ("box", "sm.count", "ntt", "policy.sm_partitioner"),
         ("cdf", "ntt", "", "policy.sm_partitioner"),
         ("timeline", "", "", "")]


def numbers(values, variant):
    chance = random.Random(repr(values))
    scheduler = 1 + SCHEDULERS.index(values["policy.sm_partitioner"])
    registers = int(values.get("registers", "64KiB").removesuffix("KiB"))
    antt = 24 / scheduler / (1 + 0.08 * int(values.get("sm.count", 8)))
    antt *= 1 + 0.9 / (1 + math.exp((registers - 20 * scheduler) / 2)) + chance.gauss(0, 0.04)
    return {"antt": antt, "stp": 1 + scheduler * 0.4 + chance.random(),
            "fairness": min(1, 0.2 * scheduler + 0.3 * chance.random())}


def slowdowns(values, variant):
    chance = random.Random(repr(values) + "ntt")
    return {name: math.exp(chance.gauss(2.2 - 0.4 * SCHEDULERS.index(values["policy.sm_partitioner"]), 0.7))
            for name in ("bfs", "sgemm", "spmv")}


def failed(values, variant):
    if values["seed"] == 3 and values["sm.count"] == "4":
        return "failed", "the run was ended by signal 11"
    return ("timeout", "60 s are over") if values["seed"] == 2 and values["registers"] == "48KiB" else None


def showcase(partial=False, times=1):
    """180 samples for each of `times`."""
    return MadeUp({"policy.sm_partitioner": SCHEDULERS, "sm.count": ["4", "8", "13"],
                   "registers": ["16KiB", "24KiB", "32KiB", "48KiB", "64KiB"]}, numbers,
                  seeds=range(1, 4 * times + 1), plots=[plot for plot in PLOTS if plot[0] != "heat-map"],
                  slowdowns=slowdowns, failed=failed if partial else lambda *_: None, name="schedulers-by-sms",
                  question="How does token scheduling scale with the number of SMs, and when do registers run out?")


def pairs(partial=True):
    """A heat map with holes."""
    return MadeUp({"applications.0": PAIRS, "applications.1": PAIRS, "policy.sm_partitioner": ["token"]}, numbers,
                  plots=[PLOTS[1]], name="pairs", question="Which pairs of kernels share an SM well?",
                  failed=lambda values, _: ("out-of-memory", "more than 2GiB") if partial and
                  PAIRS.index(values["applications.0"]) + PAIRS.index(values["applications.1"]) == 9 else None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--pairs", action="store_true")
    chosen = parser.parse_args()
    (pairs() if chosen.pairs else showcase(chosen.partial, chosen.times)).write(chosen.directory)
