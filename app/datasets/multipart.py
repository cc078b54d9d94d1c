"""The one file of a multipart body, as its bytes arrive.

    multipart/form-data; boundary=...   exactly one part with a file name

Whatever else there is to say is in the query, so any other part is refused rather than
overlooked. Nothing is held back but the part's headers.
"""

from email.message import Message

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError

from app.errors import InvalidRequestError, MalformedRequestError
from app.web.content import charset_of

__all__ = ["FilePart"]

_MOST_HEADER_BYTES = 16 * 1024


class FilePart:
    """Take a body in chunks, give the bytes of its file.

    Parameters
    ----------
    boundary : bytes
    """

    def __init__(self, boundary: bytes) -> None:
        self.media_type: str | None = None
        self.file_name: str | None = None
        self.charset: str | None = None
        self._found = self._ended = False
        self._headers, self._field, self._value = Message(), b"", b""
        self._header_bytes = 0
        self._bytes: list[bytes] = []
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin,
                    "on_header_field": self._name,
                    "on_header_value": self._content,
                    "on_header_end": self._header,
                    "on_headers_finished": self._named,
                    "on_part_data": self._data,
                    "on_end": self._end,
                },
            )
        except FormParserError as error:
            raise _broken() from error

    def feed(self, chunk: bytes) -> bytes:
        """Return the file's bytes within the next bytes of the body.

        Raises
        ------
        MalformedRequestError
            When the body is not made of parts.
        InvalidRequestError
            When a part is no file, or a second one.
        """
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise _broken() from error
        content, self._bytes = b"".join(self._bytes), []
        return content

    def finish(self) -> None:
        """Check that the body has come to its end."""
        if not self._ended:
            raise _broken()
        if not self._found:
            msg = "the body has no file; send one part with a file name"
            raise InvalidRequestError(msg)

    def _begin(self) -> None:
        if self._found:
            msg = "the body has more than one part; send one file, the rest as query"
            raise InvalidRequestError(msg)
        self._headers = Message()
        self._found = True

    def _name(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]
        self._count(end - start)

    def _content(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._count(end - start)

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > _MOST_HEADER_BYTES:
            raise _broken()

    def _header(self) -> None:
        name, value = self._field.decode("latin-1"), self._value.decode("latin-1")
        self._headers.add_header(name.strip(), value.replace("\n", " ").strip())
        self._field = self._value = b""

    def _named(self) -> None:
        file_name = self._headers.get_filename()
        if file_name is None:
            msg = "a part is no file; send one file, and the rest as query"
            raise InvalidRequestError(msg)
        self.file_name = file_name.encode("latin-1", "replace").decode(
            "utf-8", "replace"
        )
        if "content-type" in self._headers:
            self.media_type = self._headers.get_content_type()
            content_type = self._headers["content-type"].encode("latin-1", "replace")
            self.charset = charset_of(content_type)

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._bytes.append(data[start:end])

    def _end(self) -> None:
        self._ended = True


def _broken() -> MalformedRequestError:
    return MalformedRequestError("the multipart body is broken or ends too early")
