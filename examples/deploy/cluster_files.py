"""The bucket of the cluster demonstration: rows in files, decisions beside them."""

import io
from contextlib import suppress

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

__all__ = ["KEYS", "Bucket"]

NAME = "demur"
KEYS = {
    "AWS_ACCESS_KEY_ID": "demo",
    "AWS_SECRET_ACCESS_KEY": "demo",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class Bucket:
    """A bucket of an S3 server at an address of this machine."""

    def __init__(self, address: str) -> None:
        self.address = address

    def made(self) -> bool:
        """Make the bucket; tell whether it is there."""
        with suppress(httpx.TransportError):
            return httpx.put(f"http://{self.address}/{NAME}").status_code == 200
        return False

    def place(self, folder: str) -> str:
        """Return a folder of it as a setting of Demur names it."""
        return f"{self.url(folder)}?endpoint_override={self.address}&scheme=http"

    def url(self, folder: str) -> str:
        """Return a folder of it as a request names it."""
        return f"s3://{NAME}/{folder}"

    def files(self) -> fs.FileSystem:
        """Return the server as a file system."""
        return fs.S3FileSystem(
            endpoint_override=self.address,
            scheme="http",
            access_key=KEYS["AWS_ACCESS_KEY_ID"],
            secret_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            region=KEYS["AWS_DEFAULT_REGION"],
        )

    def put(self, folder: str, columns: list[str], rows: list[list[float]]) -> int:
        """Write two files of Parquet; return how many rows they have."""
        drawn = np.random.default_rng(0)
        rows_of_a_file = 4000
        for number in (1, 2):
            taken = drawn.choice(np.array(rows), rows_of_a_file)
            taken = taken * drawn.normal(1.0, 0.01, taken.shape)
            table = pa.table(dict(zip(columns, taken.T, strict=True)))
            out = io.BytesIO()
            pq.write_table(table, out, row_group_size=500)
            name = f"{NAME}/{folder}/{number}.parquet"
            with self.files().open_output_stream(name) as stream:
                stream.write(out.getvalue())
        return 2 * rows_of_a_file

    def decisions(self, folder: str) -> list[dict[str, object]]:
        """Return the decisions of all parts in a folder, with their cases."""
        files = self.files().get_file_info(fs.FileSelector(f"{NAME}/{folder}"))
        tables = [
            pq.read_table(
                file.path,
                filesystem=self.files(),
                columns=["demur_decision", "demur_case"],
            )
            for file in files
            if file.extension == "parquet"
        ]
        return list(pa.concat_tables(tables).to_pylist())
