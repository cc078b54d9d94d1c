"""Models in memory: the most recently used ones, by the digest of their artifact.

A digest never changes its meaning, so nothing here goes stale. A new model is complete
before an old one is dropped; threads that ask for the same digest wait for one load.
"""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any, Generic, TypeVar

__all__ = ["LoadedModels"]

Model = TypeVar("Model")


class LoadedModels(Generic[Model]):
    """A bounded, thread-safe cache of ready models.

    Parameters
    ----------
    read : callable
        Digest to payload; checks the bytes (`ArtifactStore.read`).
    build : callable
        Payload to ready model.
    capacity : int
        How many models stay.
    """

    def __init__(
        self,
        read: Callable[[str], dict[str, Any]],
        build: Callable[[dict[str, Any]], Model],
        capacity: int,
    ) -> None:
        if capacity < 1:
            msg = f"capacity must be at least 1, got {capacity}"
            raise ValueError(msg)
        self._read, self._build, self._capacity = read, build, capacity
        self._ready: OrderedDict[str, Model] = OrderedDict()
        self._loading: dict[str, Future[Model]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._ready)

    def peek(self, sha256: str) -> Model | None:
        """Return the model if it is in memory, at once."""
        with self._lock:
            model = self._ready.get(sha256)
            if model is not None:
                self._ready.move_to_end(sha256)
            return model

    def get(self, sha256: str) -> Model:
        """Return the model, loading it when needed; may read a file.

        Raises
        ------
        CorruptArtifactError
            When the file is missing or not what was written. The next call tries
            again.
        """
        with self._lock:
            if (model := self._ready.get(sha256)) is not None:
                self._ready.move_to_end(sha256)
                return model
            waiting = self._loading.get(sha256)
            if waiting is None:
                mine = self._loading[sha256] = Future[Model]()
        if waiting is not None:
            return waiting.result()
        try:
            model = self._build(self._read(sha256))
        except BaseException as error:
            with self._lock:
                del self._loading[sha256]
            mine.set_exception(error)
            raise
        with self._lock:
            self._ready[sha256] = model
            del self._loading[sha256]
            while len(self._ready) > self._capacity:
                self._ready.popitem(last=False)
        mine.set_result(model)
        return model
