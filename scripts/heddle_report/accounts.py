"""Where the time of requests goes: for each server of each sample two bars, of all its requests and of the slowest 1 %,
in parts that add up to the mean response."""

from matplotlib.patches import Patch

from . import figure
from .aggregate import shown_variant
from .request_accounts import PARTS, words_of
from .values import Scale, short

MOST_LABEL = 44     # characters of what names a bar
MOST_BARS = 24      # of the figure: twice the servers
MOST_CAUSES = 3     # of a part; more are drawn as "others"
COLOURS = {"host": "#8C6D1F", "submission": "#CC79A7", "copy_wait": "#D55E00", "copying": "#E69F00",
           "sm_wait": "#0072B2", "executing": "#009E73", "slowed": "#56B4E9"}


def draw(campaign):
    """A Drawing; None where no request was accounted."""
    rows, left_out = rows_of(campaign)
    if not rows:
        return None
    scale = Scale("time", "ps", [account.response for _, account in rows])
    title = "Where the time of requests goes"
    drawing, axes = figure.new(title, campaign.partial, width=11, height=1.8 + 0.36 * len(rows))
    kinds = kinds_of(rows)
    for place, (_, account) in enumerate(rows):
        begin = 0
        for key in kinds:
            for times, hatch in zip(times_of(account, key, kinds), ("////", "")):
                axes.barh(place, times / scale.factor, 0.72, left=begin / scale.factor, color=colour_of(key),
                          alpha=opacity_of(key), hatch=hatch, edgecolor="white", linewidth=0.4)
                begin += times
        axes.text(begin / scale.factor, place, "  " + account.words(), va="center", fontsize=9)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1.42 * max(account.response for _, account in rows) / scale.factor)
    axes.set_yticks(range(len(rows)), labels=[label for label, _ in rows], fontsize=9.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    handles = [Patch(facecolor=colour_of(key), alpha=opacity_of(key)) for key in kinds]
    handles.append(Patch(facecolor="white", edgecolor="#52606d", hatch="////"))
    figure.legend(axes, [words_of(*key) for key in kinds] + ["in the queue"], handles)
    figure.name_axes(axes, f"mean response ({scale.unit})", "")
    return figure.Drawing(drawing, title, campaign.partial, caption(left_out))


def rows_of(campaign):
    """((label, Account) of each bar, how many are left out)."""
    with_variant = shown_variant(campaign)
    keys = [key for key in campaign.keys if not (campaign.has_seeds and key == "seed")]
    rows, seen = [], set()
    for sample in campaign.complete:
        texts = [sample.values[key] for key in keys] + [sample.variant] * with_variant
        for number, application in sample.applications.items():
            accounts = campaign.accounts.get((sample.run.id, number))
            if accounts is None or (*texts, number) in seen:
                continue
            seen.add((*texts, number))
            several = sum((sample.run.id, other) in campaign.accounts for other in sample.applications) > 1
            label = ", ".join(texts + [application.name] * several) or sample.variant
            rows.append((f"{short(label, MOST_LABEL)}: all", accounts[0]))
            rows.append(("slowest 1 %", accounts[1]))
    return rows[:MOST_BARS], max(0, len(rows) - MOST_BARS) // 2


def kinds_of(rows):
    """(part, cause) in the order of PARTS; of each part the causes with the most time, and "others"."""
    sums = {}
    for _, account in rows:
        for key, times in account.parts.items():
            sums[key] = sums.get(key, 0) + sum(times)
    kinds = []
    for part in PARTS:
        causes = sorted((key for key in sums if key[0] == part), key=lambda key: -sums[key])
        kinds += causes[:MOST_CAUSES]
        if len(causes) > MOST_CAUSES:
            kinds.append((part, "others"))
    return kinds


def times_of(account, key, kinds):
    """(queue, service) of a kind; "others" has the causes of its part that are no kind."""
    if key[1] != "others" or key in account.parts:
        return account.parts.get(key, (0, 0))
    rest = [times for other, times in account.parts.items() if other[0] == key[0] and other not in kinds]
    return sum(queue for queue, _ in rest), sum(service for _, service in rest)


def colour_of(key):
    return COLOURS[key[0]] if key[1] != "others" else "#9aa5b1"


def opacity_of(key):
    """A part that others cause is paler where the server itself does."""
    return 0.5 if PARTS[key[0]][1] and not key[1] else 1


def caption(left_out):
    words = ("The mean response in parts, of all served requests of a server and of the slowest 1 %, at least one of "
             "them. Hatched: what the server did while the request waited for it behind others. Behind a bar: its "
             "largest part. Of several seeds the first is shown.")
    return words + (f" {left_out} more servers are left out." if left_out else "")
