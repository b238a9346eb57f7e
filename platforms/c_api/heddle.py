"""Heddle from Python, through the C interface (c_api.h).

    import heddle
    with heddle.Machine("vector_add", platform="gtx480", sets=["sm.count=8"]) as machine:
        while machine.step(1000):
            print(machine.now("core"), machine.counter("gpu.l2_0.requests"))

A process opens one machine; reset() runs it again. The library is the file that $HEDDLE_LIBRARY names, or
libheddle_c.so of the installation or the build to which this file belongs.
"""

import ctypes
import os
import pathlib

OK, DONE, BUSY, BAD_CALL, FAILED = 0, 1, 2, -1, -2
API_VERSION = 1
LIBRARY = "libheddle_c.so"


class Error(Exception):
    """A call that the library refused: an argument is wrong, or the time of the call."""


class Failure(Error):
    """A simulation that has failed."""


def _library_file():
    """The library beside this file: PREFIX/share/heddle/platforms/c_api, or platforms/c_api of the sources."""
    if "HEDDLE_LIBRARY" in os.environ:
        return os.environ["HEDDLE_LIBRARY"]
    here = pathlib.Path(__file__).resolve().parent
    places = [here.parents[1] / "build"]
    if len(here.parents) > 3:
        prefix = here.parents[3]
        places += [prefix / "lib", prefix / "lib64", *sorted((prefix / "lib").glob("*-linux-*"))]
    found = [place / LIBRARY for place in places if (place / LIBRARY).is_file()]
    return str(found[0]) if found else LIBRARY


_FUNCTIONS = {  # result and arguments
    "heddle_api_version": "i", "heddle_error": "si", "heddle_close": "ii", "heddle_reset": "ii", "heddle_list": "sis",
    "heddle_open": "iss", "heddle_step": "iiU", "heddle_run": "iiU", "heddle_now": "iisV", "heddle_counter": "iisV",
    "heddle_boundary_open": "isss", "heddle_boundary_send": "iiUUui", "heddle_boundary_take": "iiV",
    "heddle_policy_open": "issu", "heddle_policy_set": "iisuL", "heddle_policy_choose": "iiM",
    "heddle_policy_get": "iisuM", "heddle_policy_tick": "ii"}
_TYPES = {"i": ctypes.c_int, "s": ctypes.c_char_p, "u": ctypes.c_uint32, "U": ctypes.c_uint64, "L": ctypes.c_int64,
          "V": ctypes.POINTER(ctypes.c_uint64), "M": ctypes.POINTER(ctypes.c_int64)}


def _load():
    library = ctypes.CDLL(_library_file())
    for name, types in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = _TYPES[types[0]]
        function.argtypes = [_TYPES[letter] for letter in types[1:]]
    if library.heddle_api_version() != API_VERSION:
        raise Error(f"{_library_file()} has version {library.heddle_api_version()}; the module needs {API_VERSION}")
    return library


_library = _load()


def _error(handle):
    return _library.heddle_error(handle).decode()


def _text(what, value):
    """The value as bytes. A text is one line: the interface would cut it at a zero byte, and options at a line end."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise Error(f"{what} is a text, not {value!r}")
    if not value.isprintable():
        raise Error(f"{what} is one line of printable text, not {value!r}")
    return value.encode()


def _number(what, value, bits=64, least=0):
    """The value, which must fit: ctypes would drop the bits above."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise Error(f"{what} is a whole number, not {value!r}")
    value = value.__index__()
    if not least <= value < 1 << bits:
        raise Error(f"{what} is a number from {least} to 2^{bits} - 1, not {value}")
    return value


def _texts(what, values):
    """A list of texts; a text alone would be taken letter by letter."""
    if isinstance(values, (str, bytes)):
        raise Error(f"{what} is a list of texts, such as [{values!r}], not {values!r}")
    if not hasattr(values, "__iter__"):
        raise Error(f"{what} is a list of texts, not {values!r}")
    return [_text(f"an element of {what}", one).decode() for one in values]


def _options(sets, policies, **named):
    """The options of an open, a line each. Named ones that are None are left out."""
    lines = [f"--set {one}" for one in _texts("sets", sets)]
    lines += [f"--policy {one}" for one in _texts("policies", policies)]
    lines += [f"--{name} {value}" for name, value in named.items() if value is not None]
    return "\n".join(lines).encode()


class _Handle:
    """What is open until close() or the end of a with statement."""

    def __init__(self, handle):
        self._handle = handle
        if handle == 0:
            raise Error(_error(0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Gives the handle back. A second call does nothing."""
        handle, self._handle = self._handle, 0
        if handle:
            _library.heddle_close(handle)

    def reset(self):
        """Starts over, as after opening."""
        self._call("reset")

    def table(self, what):
        """The rows of heddle_list(), each a list of texts."""
        text = _library.heddle_list(self._handle, _text("the name of the table", what))
        if text is None:
            raise Error(_error(self._handle))
        return [line.split("\t") for line in text.decode().splitlines()]

    def _call(self, function, *arguments):
        result = getattr(_library, "heddle_" + function)(self._handle, *arguments)
        if result < 0:
            raise (Failure if result == FAILED else Error)(_error(self._handle))
        return result

    def _value(self, number, function, *arguments):
        value = number()
        self._call(function, *arguments, ctypes.byref(value))
        return value.value


class _Simulation(_Handle):
    def step(self, cycles):
        """Simulates so many cycles. Returns whether the run goes on."""
        return self._call("step", _number("cycles", cycles)) == OK

    def run(self, cycle=0):
        """Simulates to this cycle, or to the end. Returns whether the run goes on."""
        return self._call("run", _number("cycle", cycle)) == OK

    def now(self, clock):
        """The cycle at which this clock stands."""
        return self._value(ctypes.c_uint64, "now", _text("clock", clock))

    def counter(self, name):
        """The value of a counter by its path in stats.json."""
        return self._value(ctypes.c_uint64, "counter", _text("the name of the counter", name))

    def counters(self):
        """The names of all counters."""
        return [row[0] for row in self.table("counters")]


class Machine(_Simulation):
    """A GPU with the applications of an experiment; the options are those of `heddle run`."""

    def __init__(self, experiment, platform=None, sets=(), policies=(), seed=None, variant=None):
        if platform is not None:
            platform = _text("platform", platform).decode()
        if seed is not None:
            seed = _number("seed", seed)
        if variant is not None:
            is_name = isinstance(variant, str)
            variant = _text("variant", variant).decode() if is_name else _number("variant", variant)
        options = _options(sets, policies, platform=platform, seed=seed, variant=variant)
        super().__init__(_library.heddle_open(_text("experiment", experiment), options))


class Boundary(_Simulation):
    """A block of the memory path alone: "l2_0" before a memory with a fixed latency, or "dram0"."""

    def __init__(self, platform, block, sets=(), policies=(), latency=None):
        if latency is not None:
            latency = _number("latency", latency)
        options = _options(sets, policies, latency=latency)
        super().__init__(_library.heddle_boundary_open(_text("platform", platform), _text("block", block), options))

    def send(self, number, address, size, write=False):
        """Sends a request in the cycle that comes next. Returns whether the block takes it."""
        return self._call("boundary_send", _number("number", number), _number("address", address),
                          _number("size", size, 32), int(bool(write))) == OK

    def take(self):
        """The number of the oldest response that was not taken, or None."""
        number = ctypes.c_uint64()
        return number.value if self._call("boundary_take", ctypes.byref(number)) == OK else None


class Policy(_Handle):
    """A policy of the model, alone, with the signals of its role in RTL."""

    def __init__(self, decision, policy, things):
        super().__init__(_library.heddle_policy_open(_text("decision", decision), _text("policy", policy),
                                                     _number("things", things, 32)))

    def set(self, signal, value, element=0):
        """Sets an element of an input. A word of a mask is a number of 64 bits."""
        value = _number("value", value, least=-(1 << 63))
        signed = value - (1 << 64) if value >= 1 << 63 else value
        self._call("policy_set", _text("signal", signal), _number("element", element, 32), signed)

    def choose(self):
        """The thing that the policy chooses, or None."""
        chosen = self._value(ctypes.c_int64, "policy_choose")
        return None if chosen < 0 else chosen

    def get(self, signal, element=0):
        """An input, or an output of the last choice."""
        return self._value(ctypes.c_int64, "policy_get", _text("signal", signal), _number("element", element, 32))

    def tick(self):
        """Ends the tick; the input `taken` says what was done."""
        self._call("policy_tick")
