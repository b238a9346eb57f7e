"""Pieces of HTML. What comes as text is escaped here and nowhere else; Markup is not escaped again."""

import base64
import html

from .values import printable


class Markup(str):
    """HTML."""


def text(value):
    return value if isinstance(value, Markup) else Markup(html.escape(printable(str(value))))


def element(tag, *children, **attributes):
    """class_="x" gives class="x"; an attribute that is None is left out."""
    given = "".join(f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
                    for name, value in attributes.items() if value is not None)
    return Markup(f"<{tag}{given}>{''.join(map(text, children))}</{tag}>")


def link(to, *children, **attributes):
    """Only the children where `to` is empty."""
    return element("a", *children, href=to, **attributes) if to else Markup("".join(map(text, children)))


def joined(between, pieces):
    return Markup(text(between).join(map(text, pieces)))


def image(svg, alternative, inches):
    """An SVG as one inline image that shrinks with the page; a wide one to no less than can be read."""
    data = "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
    width, height = (round(100 * length) for length in inches)
    return Markup(f'<img class="plot" src="{data}" width="{width}" height="{height}" alt="{text(alternative)}" '
                  f'style="min-width:min({width}px,{max(0, width - 640)}px)">')


class Table:
    """A table in a box of its own that scrolls."""

    def __init__(self, caption, columns, most=None, groups=()):
        """columns: (heading, whether numbers); most: rows that are shown, None for all; groups: (heading, how many
        columns it is of), above the headings."""
        self.caption, self.columns, self.most, self.groups = caption, columns, most, groups
        self.rows, self.count = [], 0

    def wants(self):
        """Whether another row would be shown; else miss() counts it."""
        return self.most is None or len(self.rows) < self.most

    def miss(self):
        self.count += 1

    def add(self, cells):
        self.count += 1
        kinds = (' class="number"' if number else "" for _, number in self.columns)
        self.rows.append("<tr>" + "".join(f"<td{kind}>{text(cell)}</td>" for kind, cell in zip(kinds, cells)) + "</tr>")

    def part(self, title):
        """A row that says what the next ones are of."""
        self.count += 1
        self.rows.append(f'<tr class="part"><th scope="rowgroup" colspan="{len(self.columns)}">{text(title)}</th></tr>')

    def markup(self, rest=""):
        """rest: where the rows are that are not shown."""
        head = "".join(element("th", heading, class_="number" if number else None, scope="col")
                       for heading, number in self.columns)
        above = "".join(element("th", heading, class_="group", scope="colgroup" if heading else None, colspan=count)
                        for heading, count in self.groups)
        above = f"<tr>{above}</tr>" if above else ""
        note = ""
        if len(self.rows) < self.count:
            note = element("p", f"The first {len(self.rows):,} of {self.count:,} rows. ", rest, class_="note")
        body = "\n".join(self.rows)
        return Markup(f'<div class="table" tabindex="0" role="region" aria-label="{text(self.caption)}"><table>'
                      f'<caption>{element("span", self.caption)}</caption><thead>{above}<tr>{head}</tr></thead>\n'
                      f"<tbody>\n{body}\n</tbody></table></div>{note}")
