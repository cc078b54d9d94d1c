"""Tables as different programs write them: one meaning, many spellings."""

import csv
import io
from unicodedata import normalize

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from app.datasets.reading.convert import to_parquet
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import ReadOptions
from app.datasets.tables import as_table
from app.train.parsing import read_mapping

MARKS = ["-999", "NA", "n.a.", "?"]
NAMES = ["x", "größe", "a b", "ward"]
PADS = ["", " ", "\t", "\N{NO-BREAK SPACE}", "\N{ZERO WIDTH NO-BREAK SPACE}"]
WORDS = ["a", "NA", "n.a.", "01", "Zoë", "True", "1", "1.0", "-999", "2.50", "", "?"]
CODES = [0, 1, 2, 10, -999]
NUMBERS = [-999, 0, 1, -1.5, 1e-7, 2.0**40, -999.0]

CODED = [int, float, str, lambda v: f"{v}.0"]


@st.composite
def respelled(draw, text):
    """The same name or text, as another program might write it."""
    form = draw(st.sampled_from(["NFC", "NFD"]))
    pads = st.sampled_from(PADS)
    return draw(pads) + normalize(form, text) + draw(pads)


KINDS = {
    "number": st.sampled_from(NUMBERS),
    "text": st.sampled_from(WORDS).flatmap(respelled),
    "code": st.sampled_from(CODES),
    "boolean": st.booleans(),
}


def cells_of(kind, rows):
    """Cells of one column; None is missing."""
    return st.lists(KINDS[kind] | st.none(), min_size=rows, max_size=rows)


@st.composite
def tables(draw):
    """Columns by name, as they are meant; codes are categories in digits."""
    rows = draw(st.integers(4, 12))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    kinds = [draw(st.sampled_from(sorted(KINDS))) for _ in names]
    return {
        name: (kind, draw(cells_of(kind, rows)))
        for name, kind in zip(names, kinds, strict=True)
    }


def spelled(cell, kind):
    """Return the spellings of a cell that text files have."""
    if cell is None:
        return [""]
    if kind == "code":
        return [str(cell), repr(float(cell))]
    if kind == "number":
        return [repr(cell), repr(float(cell))]
    return [str(cell)]


def text_file(draw, named):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=draw(st.sampled_from([",", ";"])))
    # A quote of its own, so that a row of one blank cell is a row.
    writer.writerow([draw(respelled(name)) for name in [*named, "id"]])
    made = [
        [draw(st.sampled_from(spelled(cell, kind))) for cell in cells]
        for kind, cells in named.values()
    ]
    writer.writerows([*row, i] for i, row in enumerate(zip(*made, strict=True)))
    mark = draw(st.sampled_from(["", "\N{ZERO WIDTH NO-BREAK SPACE}"]))
    return (mark + out.getvalue()).encode()


def typed(draw, named, code=None):
    """Return a table of Arrow: codes are whole numbers, doubles or texts."""
    made = {}
    for name, (kind, cells) in named.items():
        values = cells
        if kind == "code":
            as_one = code or draw(st.sampled_from(CODED))
            values = [None if v is None else as_one(v) for v in cells]
        if kind == "number":
            values = [None if v is None else float(v) for v in cells]
        made[draw(respelled(name))] = pa.array(values)
    made["id"] = pa.array(range(len(cells)))
    return pa.table(made)


def columnar(table, form):
    out = io.BytesIO()
    if form == "parquet":
        pq.write_table(table, out)
    else:
        write = pa.ipc.new_file if form == "arrow file" else pa.ipc.new_stream
        with write(out, table.schema) as stream:
            stream.write_table(table)
    return out.getvalue()


def stored(folder, body, form, **options):
    uploaded, target = folder / "uploaded", folder / "stored"
    uploaded.write_bytes(body)
    chosen, limits = ReadOptions(**options), Limits()
    to_parquet(open_source(uploaded, form, chosen, limits), target, chosen, limits)
    return as_table(pq.read_table(target)).without(["id"])


def inline(draw, named, marks, code=str):
    """Return the data of a request; codes come as the type that is asked for."""
    cells = [
        [code(v) if kind == "code" and v is not None else v for v in values]
        for kind, values in named.values()
    ]
    return {
        "kind": "inline",
        "columns": [draw(respelled(name)) for name in named],
        "rows": list(map(list, zip(*cells, strict=True))),
        "missing": marks,
    }


def by_json(draw, named, marks, code=str):
    asked = {"model": "m", "target": {"column": "id", "positive": 1}}
    asked["trainer"] = {"kind": "svm"}
    data = inline(draw, named, marks, code)
    return read_mapping({**asked, "data": data}).table
