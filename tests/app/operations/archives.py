"""What is in a data folder, and in an archive of one."""

import io
import tarfile

__all__ = ["contents", "members", "write"]


def contents(folder):
    """Return every file below a folder with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def members(file):
    with tarfile.open(file) as archive:
        return {
            member.name: archive.extractfile(member).read()
            for member in archive.getmembers()
        }


def write(file, parts):
    with tarfile.open(file, "w") as archive:
        for name, content in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file
