"""Plots as SVG: no script and no style in them, each with a name and a description.

Every plot is drawn on the same field; a point (x, y) of the data lies at

    left + x / x_most (width - left - right),   height - bottom - y / y_most (...).

``key`` names a plot within its page. ``words`` are its name, its description, and what
is written at the x axis and at the y axis.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

__all__ = ["Point", "bars", "line", "strip"]

Point = tuple[float, float]

WIDTH, HEIGHT = 380.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 20.0, 10.0, 38.0


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _field(
    key: str,
    name: str,
    description: str,
    axes: Iterable[Markup],
    body: Iterable[Markup],
) -> Markup:
    return Markup(
        '<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-labelledby="{}-t {}-d">'
        '<title id="{}-t">{}</title><desc id="{}-d">{}</desc>{}{}</svg>'
    ).format(
        WIDTH,
        HEIGHT,
        *(key, key, key, name, key, description),
        Markup().join(axes),
        Markup().join(body),
    )


def _axes(
    x: Sequence[tuple[float, str]], y: Sequence[tuple[float, str]], words: Sequence[str]
) -> list[Markup]:
    """Return ticks (their place from 0 to 1, and what is written) and both names."""
    text = Markup('<text class="tick %s" x="%s" y="%s">%s</text>')
    grid = Markup('<line class="grid" x1="%s" x2="%s" y1="%s" y2="%s"/>')
    drawn = [text % ("mid", _x(at), HEIGHT - BOTTOM + 15, label) for at, label in x]
    for at, label in y:
        drawn.append(text % ("end", LEFT - 6, _y(at) + 4, label))
        drawn.append(grid % (LEFT, WIDTH - RIGHT, _y(at), _y(at)))
    middle = HEIGHT / 2 - 10
    drawn.append(text % ("mid", (WIDTH + LEFT) / 2, HEIGHT - 4, words[0]))
    turned = Markup('<g transform="translate(12 %s) rotate(-90)">%s</g>')
    drawn.append(turned % (middle, text % ("mid", 0, 0, words[1])))
    return drawn


def _ticks(most: float) -> list[tuple[float, str]]:
    return [(at, _number(at * most)) for at in (0.0, 0.5, 1.0)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


def line(
    key: str,
    words: Sequence[str],
    points: Sequence[Point],
    *,
    mark: Point | None = None,
    diagonal: bool = False,
    dots: bool = False,
) -> Markup:
    """Return a curve over [0, 1].

    Parameters
    ----------
    key, words
        As above.
    points : sequence of (x, y)
    mark : (x, y), optional
        Where things stand.
    diagonal : bool
        Whether y is a share too, to be compared with x.
    dots : bool
        Whether the points themselves are shown.
    """
    heights = [y for _, y in points] + ([mark[1]] if mark else [])
    most = 1.0 if diagonal else 1.05 * max([*heights, 1e-12])
    body = []
    if diagonal:
        body.append(
            Markup('<line class="even" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
                _x(0), _y(0), _x(1), _y(1)
            )
        )
    path = "L".join(f"{_x(x)},{_y(y / most)}" for x, y in points)
    if path:
        body.append(Markup('<path class="curve" d="M{}"/>').format(path))
    dot = Markup('<circle class="%s" r="%s" cx="%s" cy="%s"/>')
    if dots:
        body += [dot % ("dot", 3, _x(x), _y(y / most)) for x, y in points]
    if mark is not None:
        body.append(dot % ("now", 6, _x(mark[0]), _y(mark[1] / most)))
    axes = _axes(_ticks(1.0), _ticks(most), words[2:])
    return _field(key, words[0], words[1], axes, body)


def bars(
    key: str,
    words: Sequence[str],
    edges: Sequence[float],
    counts: Sequence[Sequence[float]],
    band: tuple[float | None, float | None],
) -> Markup:
    """Return counts in cells, one class upon the other, and the band of the rejected.

    Parameters
    ----------
    key, words
        As above.
    edges : sequence of float
        One more than there are cells.
    counts : sequence of (sequence of float)
        Of two classes.
    band : (lower, upper)
        Beyond an end that is None there is no threshold.
    """
    low, high = edges[0], edges[-1]
    width = high - low or 1.0

    def at(value: float | None, end: float) -> float:
        return end if value is None else min(max((value - low) / width, 0.0), 1.0)

    begin, end = at(band[0], 0.0), at(band[1], 1.0)
    most = max(*(a + b for a, b in zip(*counts, strict=True)), 1e-12)
    # A hundred of these: Markup formats by % several times as fast as by format.
    box = Markup('<rect class="%s" x="%s" y="%s" width="%.1f" height="%.1f"/>')
    span, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    body = [box % ("band", _x(begin), TOP, max(end - begin, 0.0) * span, height)]
    for i, (one, other) in enumerate(zip(*counts, strict=True)):
        x, wide = _x(at(edges[i], 0.0)), span / len(counts[0]) - 0.6
        for name, base, count in (("minus", 0.0, other), ("plus", other, one)):
            if count > 0:
                top = _y((base + count) / most)
                body.append(box % (name, x, top, wide, count / most * height))
    ticks = [(t, _number(low + t * width)) for t in (0.0, 0.5, 1.0)]
    return _field(key, words[0], words[1], _axes(ticks, _ticks(most), words[2:]), body)


def strip(
    key: str,
    words: Sequence[str],
    values: Sequence[float | None],
    ends: tuple[str, str],
    limit: float | None = None,
) -> Markup:
    """Return a series over time, with the limit that it should keep.

    Parameters
    ----------
    key, words
        As above.
    values : sequence of float
        At equal distances; None where there is none.
    ends : (str, str)
        What is written at the first and at the last.
    limit : float, optional
    """
    known = [value for value in values if value is not None]
    most = 1.1 * max([*known, limit or 0.0, 1e-12])
    last = max(len(values) - 1, 1)
    points = [
        f"{_x(i / last)},{_y(max(value, 0.0) / most)}"
        for i, value in enumerate(values)
        if value is not None
    ]
    body = [Markup('<path class="curve" d="M{}"/>').format("L".join(points))]
    if len(points) == 1:
        x, _, y = points[0].partition(",")
        body = [Markup('<circle class="now" r="4" cx="{}" cy="{}"/>').format(x, y)]
    if limit is not None:
        body.append(
            Markup('<line class="limit" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                LEFT, WIDTH - RIGHT, _y(limit / most), _y(limit / most)
            )
        )
    ticks = [(0.08, ends[0]), (0.92, ends[1])]
    axes = _axes(ticks if len(values) > 1 else ticks[1:], _ticks(most), words[2:])
    return _field(key, words[0], words[1], axes, body if known else [])
