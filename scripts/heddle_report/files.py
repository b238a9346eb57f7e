"""Files of a report, whole or not at all."""

import os


class OutputError(Exception):
    """Something cannot be written; the message names it."""


def replace(path, data):
    """Writes `data` (bytes) beside `path`, makes sure it reached the disk, and gives it that name."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        raise OutputError(f"cannot write {path}: it is no plain file")
    beside = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        try:
            beside.unlink(missing_ok=True)
        except OSError:
            pass  # what went wrong first is what counts
        raise OutputError(f"cannot write {path}: {error.strerror}") from error
