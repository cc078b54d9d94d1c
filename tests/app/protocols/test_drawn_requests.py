"""2,000 drawn V2 requests: none fails, and each refusal is one of the protocol's."""

import json
import struct

import numpy as np
import pytest

from app.protocols.tensors import DTYPES
from tests.app.protocols.conftest import ROWS

KINDS = ("FP64", "FP64", "BOOL", "BYTES")
NAMES = ("glucose", "bmi", "smoker", "town")
ODD = (
    *(None, True, 0, -1, 3, 2**63, 2**70, 1.5, -0.0, 1e308, "", "NaN", "\ud83d\ude00"),
    *([], {}, [[]], {"a": 1}, [None], ["x"], [[1, 2], [3]], [1, "x"], "x" * 300),
)
PATHS = (
    *["/v2/models/pima/infer"] * 12,
    "/v2/models/flat/infer",
    "/v2/models/free/versions/1/infer",
    "/v2/models/pima/versions/x/infer",
    "/v2/models/nobody/infer",
    "/v2/models/%00/infer",
    "/v2/models/pima@none/infer",
)


class Drawn:
    """One request: a right one, and some of it put wrong."""

    def __init__(self, seed):
        self.random = random = np.random.default_rng(seed)
        self.n = int(random.integers(1, 4))
        rows = [ROWS[i] for i in random.integers(len(ROWS), size=self.n)]
        self.inputs = [
            {
                "name": name,
                "shape": [self.n, 1] if random.random() < 0.5 else [self.n],
                "datatype": kind,
                "data": [row[j] for row in rows],
            }
            for j, (name, kind) in enumerate(zip(NAMES, KINDS, strict=True))
        ]
        self.asked = {"inputs": self.inputs}
        self.headers = {}

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def chance(self, share):
        return self.random.random() < share

    def request(self):
        if self.chance(0.3):
            self.options()
        for _ in range(int(self.random.integers(0, 3))):
            self.pick([self.wrong_tensor, self.wrong_member, self.wrong_inputs])()
        tail = self.in_binary() if self.chance(0.5) else b""
        head = json.dumps(self.asked).encode()
        if tail or self.chance(0.2):
            size = self.pick([len(head)] * 40 + [0, len(head) - 1, len(head) + 5])
            told = self.pick([str(size)] * 50 + ["x", "-1", "", "9" * 30])
            self.headers["Inference-Header-Content-Length"] = told
        body = head + tail
        if self.chance(0.1) and body:
            at = int(self.random.integers(len(body)))
            cut = self.pick([b"", bytes([int(self.random.integers(256))])])
            body = body[:at] + cut + body[at + 1 :]
        return self.pick(PATHS), body, self.headers

    def options(self):
        word = self.pick(["word", "force", "error", "maybe"])
        self.asked["parameters"] = {"on_reject": word, "binary_data_output": True}
        self.asked["id"] = self.pick(["a", "", 7])
        names = ["decision", "costs", "decision_code", "band", "case", "label", "odds"]
        wanted = [{"name": self.pick(names)} for _ in range(2)]
        wanted[0]["parameters"] = {"binary_data": self.pick([True, False, 1])}
        self.asked["outputs"] = wanted

    def wrong_tensor(self):
        tensor = self.pick(self.inputs)
        members = ("name", "shape", "datatype", "data", "parameters")
        likely = {
            "name": (*NAMES, "case_reference", "x"),
            "shape": ([self.n], [1], [0], [-1], [2, 2], [], [2**50], [2**40, 2**40]),
            "datatype": ("BYTES", *DTYPES, "FP128"),
            "data": (tensor.get("data"), [tensor.get("data")]),
        }
        member = self.pick(members)
        usual = likely.get(member, ({"binary_data_size": 8},))
        tensor[member] = self.pick(usual) if self.chance(0.7) else self.pick(ODD)

    def wrong_member(self):
        name = self.pick(["inputs", "outputs", "parameters", "id", "other"])
        self.asked[name] = self.pick(ODD)

    def wrong_inputs(self):
        change = self.pick(["more", "less", "twice", "none"])
        if change == "more":
            told = {"name": "case_reference", "datatype": "BYTES", "shape": [self.n]}
            self.inputs.append(told | {"data": ["r"] * self.n})
        elif change == "less" and self.inputs:
            del self.inputs[int(self.random.integers(len(self.inputs)))]
        elif change == "twice" and self.inputs:
            self.inputs.append(dict(self.pick(self.inputs)))
        elif change == "none":
            table = {"name": "x", "datatype": "FP64", "shape": [1, 2], "data": [1, 2]}
            self.inputs[:] = [table]
        if not self.inputs:
            self.asked["inputs"] = []

    def in_binary(self):
        """Return the tensors that can be written so, and tell their sizes."""
        tail = b""
        for tensor in self.inputs:
            dtype, data = tensor.get("datatype"), tensor.get("data")
            try:
                if dtype == "BYTES":
                    raws = [text.encode() for text in data]
                    raw = b"".join(struct.pack("<I", len(t)) + t for t in raws)
                else:
                    raw = np.array(data, np.float64).astype(DTYPES[dtype]).tobytes()
            except (KeyError, TypeError, ValueError, AttributeError):
                continue
            if self.chance(0.05):
                raw = raw[:-1] + self.pick([b"", b"\xff", b"\xff\xff\xff\xff"])
            del tensor["data"]
            size = self.pick([len(raw)] * 70 + [len(raw) + 1, -1, 2**70, "8", True])
            tensor["parameters"] = {"binary_data_size": size}
            tail += raw
        return tail


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_no_drawn_request_makes_the_service_fail(client):
    statuses = []
    for seed in range(2_000):
        path, body, headers = Drawn(seed).request()
        answer = client.post(path, content=body, headers=headers)
        statuses.append(answer.status_code)
        if answer.status_code == 200:
            continue
        assert answer.status_code in (400, 404, 422), (seed, answer.text)
        assert answer.headers["content-type"] == "application/json", seed
        told = answer.json()
        assert list(told) == ["error"], (seed, told)
        assert len(told["error"]) > 10, (seed, told)
    counts = {status: statuses.count(status) for status in set(statuses)}
    assert counts[200] > 300, counts  # else nothing but the door was tried
    assert counts[422] > 300, counts
