"""How the interactive documentation tells bodies that are read as a stream.

Text has no schema: any bytes are text, and whether they are a table is seen in reading.
"""

from typing import Any

__all__ = ["TABLE_CSV", "UPLOAD_BODY"]

TABLE_CSV = "glucose,bmi,outcome\n148,33.6,yes\n85,26.6,no\n115,,no\n"
_BINARY = {"schema": {"type": "string", "format": "binary"}}

UPLOAD_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "text/csv": {"example": TABLE_CSV},
        "text/x-svmlight": {
            "example": "+1 1:0.5 3:1\n-1 2:2\n",
        },
        "application/vnd.apache.parquet": _BINARY,
        "application/vnd.apache.arrow.stream": _BINARY,
        "application/vnd.apache.arrow.file": _BINARY,
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "string", "format": "binary"}},
            },
            "example": {"file": TABLE_CSV},
        },
    },
}
