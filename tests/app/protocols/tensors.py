"""Requests of the Open Inference Protocol, as JSON and in binary tensors."""

import json
import struct

import numpy as np

from tests.app.predict.conftest import COLUMNS
from tests.app.protocols.conftest import ROWS

__all__ = ["INFER", "KINDS", "as_json", "column", "packed", "texts"]

INFER = "/v2/models/pima/infer"
KINDS = {"glucose": "FP64", "bmi": "FP64", "smoker": "BOOL", "town": "BYTES"}


def texts(values):
    return b"".join(
        struct.pack("<I", len(text)) + text for text in map(str.encode, values)
    )


def column(name):
    return [row[COLUMNS.index(name)] for row in ROWS]


def as_json(rows=40, **more):
    inputs = [
        {
            "name": name,
            "shape": [rows, 1],
            "datatype": kind,
            "data": column(name)[:rows],
        }
        for name, kind in KINDS.items()
    ]
    return {"inputs": inputs, **more}


def packed(**more):
    """Return body and headers as tritonclient sends them by default."""
    raws = {
        "glucose": np.array(column("glucose"), "<f8").tobytes(),
        "bmi": np.array(column("bmi"), "<f8").tobytes(),
        "smoker": np.array(column("smoker"), "?").tobytes(),
        "town": texts(column("town")),
    }
    inputs = [
        {
            "name": name,
            "shape": [40],
            "datatype": KINDS[name],
            "parameters": {"binary_data_size": len(raw)},
        }
        for name, raw in raws.items()
    ]
    asked = {"inputs": inputs, "parameters": {"binary_data_output": True}, **more}
    head = json.dumps(asked).encode()
    length = {"Inference-Header-Content-Length": str(len(head))}
    return head + b"".join(raws.values()), length
