"""The accounts of requests, as the table `requests` of a campaign has them: the parts that a response is made of."""

import dataclasses
import math
import re

SLOWEST = 0.01
# Each part in words: without and with an application that causes it.
PARTS = {
    "host": ("host", ""),
    "submission": ("submission", ""),
    "copy_wait": ("waits for its own copies", "waits for a copy of {}"),
    "copying": ("copies", ""),
    "sm_wait": ("waits for SMs that are set up", "waits for SMs that {} has"),
    "executing": ("executes", ""),
    "slowed": ("slowed by its share of the GPU", "slowed by {}"),
}
COLUMN = re.compile(rf"(?P<queue>queue\.)?(?P<part>{'|'.join(PARTS)})(?:\.(?P<cause>.+))? \[ps\]")


@dataclasses.dataclass(frozen=True)
class Account:
    """Means over requests, in ps. parts: (queue, service) by (part, cause); a cause is an application's name, empty
    where there is none or it is the server itself."""
    requests: int
    response: float
    parts: dict

    def largest(self):
        """((part, cause), ps), of the queue and the service together."""
        return max(((key, sum(times)) for key, times in self.parts.items()), key=lambda part: part[1])

    def words(self):
        """"83 % waits for a copy of lbm"."""
        if not self.parts or not self.response:
            return ""
        (part, cause), ps = self.largest()
        return f"{ps / self.response:.0%}".replace("%", " %") + " " + words_of(part, cause)


def words_of(part, cause):
    own, of_other = PARTS[part]
    return of_other.format(cause) if cause else own


def read(ask, name):
    """{(run, process): (Account of all, Account of the slowest 1 %)} of the table `requests`; ask: execute of a
    connection; name: application of a process."""
    columns = [row[1] for row in ask("PRAGMA table_info(requests)")]
    parts = [(column, COLUMN.fullmatch(column)) for column in columns]
    parts = [(column, match) for column, match in parts if match]
    if not parts:  # of a database from before
        return {}
    means = ", ".join('AVG("' + column.replace('"', '""') + '")' for column, _ in parts)
    response = '("end [ps]" - "arrival [ps]")'
    found = {}
    for run, process, served in ask("SELECT run, process, COUNT(*) FROM requests WHERE outcome = 'served' "
                                    'AND "queue [ps]" IS NOT NULL GROUP BY run, process').fetchall():
        accounts = []
        for most in (served, math.ceil(served * SLOWEST)):
            row = ask(f"SELECT COUNT(*), AVG({response}), {means} FROM (SELECT * FROM requests WHERE run = ? AND "
                      f"process = ? AND outcome = 'served' ORDER BY {response} DESC, request LIMIT ?)",
                      (run, process, most)).fetchone()
            accounts.append(_account(row, parts, name(run, process)))
        found[run, process] = tuple(accounts)
    return found


def _account(row, parts, server):
    requests, response, *means = row
    times = {}
    for mean, (_, match) in zip(means, parts):
        cause = match["cause"] or ""
        key = match["part"], "" if cause == server else cause
        queue, service = times.get(key, (0, 0))
        mean = mean or 0
        times[key] = (queue + mean, service) if match["queue"] else (queue, service + mean)
    return Account(requests, response, {key: both for key, both in times.items() if any(both)})
