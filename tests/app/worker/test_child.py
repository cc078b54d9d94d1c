"""What a training process logs of its end."""

import pytest

from app.datasets.errors import CorruptDatasetError
from app.errors import InvalidRequestError
from app.worker.child import Wire, _ended, _train
from app.worker.messages import Begin, Failed


@pytest.mark.parametrize(
    ("error", "kind", "traceback"),
    [
        (InvalidRequestError("column 'ward' has 300 categories"), "invalid", False),
        (CorruptDatasetError("the file is damaged"), "corrupt-dataset", True),
        (RuntimeError("patient 4711"), "training-failed", True),
    ],
)
def test_a_refusal_is_an_ordinary_line_and_a_fault_has_its_traceback(
    tmp_path, caplog, error, kind, traceback
):
    def run(request, progress, datasets, plan, kept):
        raise error

    begin = Begin(str(tmp_path), str(tmp_path), "owner")
    with caplog.at_level("INFO"):
        last = _ended(lambda: _train(run, b"{}", begin, Wire(None)), 0)
    assert isinstance(last, Failed)
    assert kind in last.problem["type"]
    (line,) = caplog.records
    assert bool(line.exc_info) is traceback
    assert "ward" not in line.getMessage(), "what the data say stays out of the log"
