"""What artifacts hold: numbers, text and arrays, and the reader that knows no more.

A pickle is a program: the names in it are looked up and called. This reader takes the
steps that ``joblib.dump`` needs for plain data, and knows four names, each of which
stands for one thing that is done here:

    NumpyArrayWrapper   an array, whose bytes follow
    ndarray             the kind of every array
    dtype               numbers, truth values or text of fixed size
    scalar              one value of such a type

Every other step or name means that the file is none of ours. What is allocated is
bounded by what the file holds.
"""

import io
import math
import re
from typing import Any, Literal

import numpy as np
from joblib.numpy_pickle import NumpyUnpickler

__all__ = ["loads", "require_plain"]

_PLAIN = (str, int, float, bool, bytes, type(None))
_KINDS = "biufcSU"
_TYPE = re.compile(rf"[{_KINDS}][0-9]{{1,9}}")
_ARRAY, _NDARRAY, _DTYPE, _SCALAR = "array", "ndarray", "dtype", "scalar"
_REDUCE, _NEW, _BUILD = b"R\x81b"
_STEPS = (
    b"\x80\x95.(NJKM\x88\x89\x8a\x8bGCB\x8e\x8cX\x8d"  # begin, end, values
    b"])}aesut\x85\x86\x87\x94hj\x93"  # lists, mappings, tuples; memory; names
)


class _Name:
    """A name that a file may use."""

    def __init__(self, means: str) -> None:
        self.means = means


_NAMES = {
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _Name(_ARRAY),
    ("numpy", "ndarray"): _Name(_NDARRAY),
    ("numpy", "dtype"): _Name(_DTYPE),
    ("numpy._core.multiarray", "scalar"): _Name(_SCALAR),
}


class _Type:
    """A type on its way; the order of its bytes comes with a later step."""

    def __init__(self, name: object, *_: object) -> None:
        if not isinstance(name, str) or not _TYPE.fullmatch(name):
            msg = "a type of objects"
            raise ValueError(msg)
        self.dtype = np.dtype(name)


class _Array:
    """An array on its way."""


def loads(content: bytes) -> dict[str, Any]:
    """Return the mapping that a file holds.

    Raises
    ------
    ValueError
        When it holds anything but plain data, or is no such file.
    """
    try:
        payload = _PlainUnpickler(content).load()
        require_plain(payload, "artifact")
        return dict(payload)
    except Exception as error:  # of the hundred ways to be no such file
        msg = "the file holds something else than numbers, text and arrays"
        raise ValueError(msg) from error


def require_plain(value: object, where: str, seen: set[int] | None = None) -> None:
    """Refuse what is no plain data.

    Raises
    ------
    TypeError
        With the place of it.
    """
    seen = set() if seen is None else seen
    if isinstance(value, dict | list | tuple):
        if id(value) in seen:  # shared parts are looked at once
            return
        seen.add(id(value))
    if isinstance(value, dict):
        require_plain(list(value), f"{where}, the keys", seen)
        value = list(value.items())
    if isinstance(value, list | tuple):
        for place, item in enumerate(value):
            if type(item) not in _PLAIN:  # most are: no place is put into words
                require_plain(item, f"{where}[{place}]", seen)
    elif isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind not in _KINDS:
            msg = f"{where} is of the type {value.dtype}; artifacts hold plain data"
            raise TypeError(msg)
    elif not isinstance(value, _PLAIN):
        msg = f"{where} is a {type(value).__name__}; artifacts hold plain data"
        raise TypeError(msg)


class _PlainUnpickler(NumpyUnpickler):  # type: ignore[misc]  # joblib has no types
    dispatch = {step: NumpyUnpickler.dispatch[step] for step in _STEPS}  # noqa: RUF012

    def __init__(self, content: bytes) -> None:
        super().__init__("", io.BytesIO(content), ensure_native_byte_order=True)
        self.content = content

    def find_class(self, module: str, name: str) -> object:
        return _NAMES[module, name]

    def load_reduce(self) -> None:
        arguments = self.stack.pop()
        means = self.stack.pop().means
        if means == _DTYPE:
            self.stack.append(_Type(*arguments))
        elif means == _SCALAR:
            kind, data = arguments
            self.stack.append(_scalar(kind.dtype, data))
        else:
            msg = "a call of something else"
            raise ValueError(msg)

    def load_newobj(self) -> None:
        self.stack.pop()
        if self.stack.pop().means != _ARRAY:
            msg = "an object that is no array"
            raise ValueError(msg)
        self.stack.append(_Array())

    def load_build(self) -> None:
        state, begun = self.stack.pop(), self.stack[-1]
        if isinstance(begun, _Type):
            begun.dtype = begun.dtype.newbyteorder(state[1])
        elif isinstance(begun, _Array):
            self.stack[-1] = self._array(**state)
        else:
            msg = "the state of something else"
            raise TypeError(msg)

    dispatch[_REDUCE] = load_reduce
    dispatch[_NEW] = load_newobj
    dispatch[_BUILD] = load_build

    def _array(
        self,
        subclass: _Name,
        shape: tuple[int, ...],
        order: Literal["C", "F"],
        dtype: _Type,
        **_: object,
    ) -> np.ndarray[Any, Any]:
        """Return an array, whose bytes come after one that says how many to skip."""
        if subclass.means != _NDARRAY:
            msg = "an array of another kind"
            raise ValueError(msg)
        file = self.file_handle
        file.seek(file.read(1)[0], io.SEEK_CUR)
        kind, count = dtype.dtype, math.prod(shape)
        if min(shape, default=0) < 0:
            msg = "an array of no size"
            raise ValueError(msg)
        array = np.empty(0, kind)
        if count:
            array = np.frombuffer(self.content, kind, count, file.tell())
        file.seek(array.nbytes, io.SEEK_CUR)
        shaped: np.ndarray[Any, Any] = np.reshape(array, shape, order=order)
        return shaped.astype(kind.newbyteorder("="), order=order)


def _scalar(kind: np.dtype[Any], data: bytes) -> np.generic:
    if len(data) != kind.itemsize:
        msg = "a value of another size"
        raise ValueError(msg)
    value: np.generic = np.frombuffer(data, kind)[0] if data else kind.type()
    return value
