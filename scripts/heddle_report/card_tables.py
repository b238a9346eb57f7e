"""The numbers of a card's page as rows of text, and as Markdown."""

import dataclasses
import pathlib

from . import measured
from .measured import mean, percent
from .scatter import BAND

NEAR = f"within {BAND:.0%} (%)"
ERRORS = [">points", ">mean absolute error (%)", ">mean error (%)", ">least (%)", ">most (%)"]
CLASS_HEAD = ["program", *ERRORS, f">{NEAR}"]
MECHANISM_HEAD = ["mechanism", "switched off by", "what is missing then", ">points",
                  ">with it: mean absolute error (%)", ">without it (%)", ">mean error (%)", ">least (%)",
                  ">most (%)", "changes most"]
ACCEL_SIM_HEAD = ["simulator", *ERRORS, f">{NEAR}"]
PUBLISHED = ("The platform's file states the source of each of its numbers, and those that are "
             "calibrated or a guess say so.")
TIME = ("From the arrival of a launch at the GPU to the notice of the end of its last block, summed over the "
        "launches: end less loaded in kernels.csv of the run, to which the number links.")


def near(results):
    return f"{100 * sum(abs(one.error) <= BAND for one in results) / len(results):.0f}"


def summary_row(name, results):
    return [*measured.summary(name, results), near(results)]


def class_rows(results):
    """(whether it is of a suite, row): each suite with its benchmarks, then all."""
    rows = []
    for suite in dict.fromkeys(one.point.suite for one in results):
        of_suite = [one for one in results if one.point.suite == suite]
        rows.append((True, summary_row(suite, of_suite)))
        for name in dict.fromkeys(one.point.benchmark for one in of_suite):
            rows.append((False, summary_row(name, [one for one in of_suite if one.point.benchmark == name])))
    rows.append((True, summary_row("all", results)))
    beyond = [one for one in results if not one.point.launch_bound]
    if beyond and len(beyond) < len(results):
        rows.append((True, summary_row("all that are not launch-bound", beyond)))
    return rows


def accel_sim_rows(results):
    """Both simulators over the points that both have."""
    both = [one for one in results if one.point.accel_sim is not None]
    theirs = [measured.Result(one.point, one.point.accel_sim) for one in both]
    return [summary_row("Heddle", both), summary_row("Accel-Sim", theirs)]


def changed_most(mechanism):
    """The point whose simulated time the mechanism changes most, and how its error changes."""
    pairs = list(zip(mechanism.base, mechanism.side.results))
    before, after = max(pairs, key=lambda pair: abs(pair[1].simulated / pair[0].simulated - 1))
    if before.simulated == after.simulated:
        return "nothing"
    errors = f"{percent(before.error)} to {percent(after.error)} %"
    return f"{before.point.benchmark} {before.point.text}: {errors}"


def mechanism_row(mechanism):
    if not mechanism.base:
        return [mechanism.name, mechanism.change, mechanism.meaning, "0", *[""] * 5, "not simulated"]
    _, count, without, average, least, most = measured.summary("", mechanism.side.results)
    with_it = f"{100 * mean([abs(one.error) for one in mechanism.base]):.1f}"
    return [mechanism.name, mechanism.change, mechanism.meaning, count, with_it, without, average, least,
            most, changed_most(mechanism)]


def by_effect(mechanisms):
    """Those first whose absence makes the mean absolute error largest."""
    def error_without(one):
        return mean([abs(result.error) for result in one.side.results]) if one.base else -1
    return sorted(mechanisms, reverse=True, key=error_without)


def point_head(card):
    unit = card.whole.results[0].point.unit
    head = ["benchmark", "parameters", f">card ({unit})", f">Heddle ({unit})", ">error (%)"]
    return head + ([f">Accel-Sim ({unit})", ">its error (%)"] if card.has_accel_sim else [])


def point_row(card, one):
    row = measured.point_row(one)
    if not card.has_accel_sim:
        return row
    other = one.point.accel_sim
    return row + (["", ""] if other is None else [f"{other:.0f}", percent(other / one.point.time - 1)])


def source_rows(card):
    """What the page is of, and where its numbers come from."""
    folder = pathlib.Path(*card.platform_file.parts[-2:])
    digest = f", SHA-1 {card.digest}" if card.digest else ", which is not there any more"
    counts = card.revisions.most_common()
    revisions = ", ".join(f"{name or 'unknown'} ({count:,} runs)" for name, count in counts)
    unit = card.whole.results[0].point.unit
    return [
        ["command", card.command],
        ["revision of Heddle", revisions],
        ["platform",
         f"{card.platform}, {folder}{digest}. Each run has it as resolved, platform.yaml. {PUBLISHED}"],
        ["points", f"{card.points_words}."],
        *([["without a mechanism", f"{card.changed_words}."]] if card.mechanisms else []),
        [f"card ({unit})", f"The column {unit} of {card.table.name}; its head names the source, see below."],
        [f"Heddle ({unit})", TIME],
        *([["Accel-Sim (cycles)", f"The column accel_sim of {card.table.name}; its head names the source."]]
          if card.has_accel_sim else []),
        ["error", "The simulated number less that of the card, as a share of the latter."]]


def escaped(rows):
    """Texts of cells, in which nothing is markup."""
    return [[text.replace("|", "\\|") for text in row] for row in rows]


def markdown(card):
    results = card.whole.results
    parts = [f"# {card.title}\n", measured.table(["", ""], escaped(source_rows(card))),
             measured.table(CLASS_HEAD, [row for _, row in class_rows(results)])]
    if card.has_accel_sim:
        parts.append(measured.table(ACCEL_SIM_HEAD, accel_sim_rows(results)))
    if card.mechanisms:
        parts.append(measured.table(MECHANISM_HEAD, escaped(map(mechanism_row, by_effect(card.mechanisms)))))
    parts.append(measured.table(point_head(card), [point_row(card, one) for one in results]))
    if card.partial:
        parts.insert(1, f"{card.partial.capitalize()}; the others are left out.\n")
    return "\n".join(parts)


def summary(card):
    """What is printed when the page is drawn: classes and mechanisms, in short."""
    rows = [row for is_suite, row in class_rows(card.whole.results) if is_suite]
    parts = [measured.table(["", *ERRORS, f">{NEAR}"], rows)]
    if card.mechanisms:
        short = [[row[1], *row[3:9]] for row in map(mechanism_row, by_effect(card.mechanisms))]
        parts.append(measured.table(["switched off by", *MECHANISM_HEAD[3:9]], short))
    return "\n".join(parts) + "\n"


def simulated_by_accel_sim(results):
    return [dataclasses.replace(one, simulated=one.point.accel_sim) for one in results
            if one.point.accel_sim is not None]
