"""A version as a file of one of the formats."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from app.artifacts.model import ServedModel
from app.errors import ConflictError, FieldError
from app.errors.faults import unusable
from app.export.c import c_file
from app.export.description import Description, describe
from app.export.onnx import onnx_file
from app.export.precision import Precision
from app.export.python import python_file
from app.models.service import known_version
from app.state import AppState

__all__ = ["FORMATS", "Exported", "Format", "Precision", "export", "export_description"]

Format = Literal["python", "c", "onnx"]
Write = Callable[[Description, Precision], bytes]

PRECISIONS: tuple[Precision, ...] = get_args(Precision)


@dataclass(frozen=True, slots=True)
class Kind:
    """One format: how its files are called and made."""

    suffix: str
    media_type: str
    precisions: tuple[Precision, ...]
    write: Write


def _python(model: Description, precision: Precision) -> bytes:
    del precision  # NumPy's own
    return python_file(model)


FORMATS: dict[Format, Kind] = {
    "python": Kind(".py", "text/x-python", ("float64",), _python),
    "c": Kind(".c", "text/x-c", PRECISIONS, c_file),
    "onnx": Kind(".onnx", "application/octet-stream", PRECISIONS, onnx_file),
}


@dataclass(frozen=True, slots=True)
class Exported:
    """A file with its name, and what of the model it leaves out."""

    content: bytes
    name: str
    media_type: str
    not_included: tuple[str, ...]


def export(
    state: AppState, name: str, version: int, kind: Format, precision: Precision
) -> Exported:
    """Return a version as a file.

    Raises
    ------
    UnknownModelError
        When the version does not exist.
    InvalidRequestError
        When the format has no such precision.
    ConflictError
        When prices follow columns of the rows.
    CorruptArtifactError
        When the model's file is damaged.
    """
    with state.database.read() as session:
        row = known_version(session, name, version)
    model = ServedModel.from_payload(state.store.read(row.artifact_sha256))
    if model.row_prices is not None:
        columns = " and ".join(map(repr, model.row_prices.columns))
        msg = (
            f"the prices of this version follow {columns} of each row, which no"
            " exported file can: ask the service, or train at four numbers as costs"
        )
        raise ConflictError(msg)
    return export_description(describe(model, name, version), kind, precision)


def export_description(
    model: Description, kind: Format, precision: Precision
) -> Exported:
    """Return a description as a file; raises as `export` does."""
    chosen = FORMATS[kind]
    if precision not in chosen.precisions:
        able = " and ".join(k for k, f in FORMATS.items() if precision in f.precisions)
        detail = f"{kind} files compute in {chosen.precisions[0]}; {precision}: {able}"
        raise unusable([FieldError("/query/precision", detail)])
    about = model.about
    return Exported(
        chosen.write(model, precision),
        f"{about['model']}-{about['version']}{chosen.suffix}",
        chosen.media_type,
        tuple(about["not_included"]),
    )
