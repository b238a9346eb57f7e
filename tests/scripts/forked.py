"""Programs of scripts/ in forks of a process that has loaded matplotlib, which takes longer than most pages."""

import os
import runpy
import sys
import tempfile
import traceback
import warnings

QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)  # as Python itself


def load(scripts):
    """Loads what the programs in the folder `scripts` load."""
    if str(scripts) not in sys.path:
        sys.path.insert(0, str(scripts))
    import heddle_report.correlation_page  # noqa: F401
    import heddle_report.paper_page  # noqa: F401
    import heddle_report.report  # noqa: F401


def run(program, arguments):
    """The exit code, standard output and error of a program in Python, which runs in a fork of this process."""
    load(program.parent)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        child = os.fork()
        if child == 0:
            os._exit(in_child(program, arguments, out, error))
        status = os.waitpid(child, 0)[1]
        return os.waitstatus_to_exitcode(status), text_of(out), text_of(error)


def text_of(file):
    file.seek(0)
    return file.read().decode()


def in_child(program, arguments, out, error):
    os.dup2(out.fileno(), 1)
    os.dup2(error.fileno(), 2)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False, errors="backslashreplace")
    warnings.resetwarnings()
    for category in QUIET:
        warnings.simplefilter("ignore", category)
    sys.argv = [str(word) for word in (program, *arguments)]
    code = 0
    try:
        runpy.run_path(str(program), run_name="__main__")
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code or 0
