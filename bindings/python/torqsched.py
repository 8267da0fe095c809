"""libtorqsched from Python: the order of an accelerator's control stream.

    import torqsched

    with torqsched.Session(progress=lambda progress: progress.fraction > 0.5) as session:
        response = session.schedule(request)        # bytes to bytes; torqsched.Error where it fails

Requests and responses are serialized protobuf messages of package torqsched.v1, as in torqsched.h,
whose conventions hold here. With the `protobuf` package they are `request.SerializeToString()` and
`ScheduleResponse.FromString(response)`; without it, `field` and `fields` write and read them.

One file over ctypes and the shared library, for Python 3.9 and newer, without dependencies. Threads
may use everything at once: ctypes releases the interpreter's lock while the library works.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import enum
import functools
import os
import signal
import sys
import threading
from ctypes import CFUNCTYPE, byref, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_uint64
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, NoReturn, Optional
from typing import Tuple, Union

__version__ = "0.1.0"
__all__ = ["BytesLike", "Code", "Error", "Fields", "Library", "LogLevel", "Progress", "Session"]
__all__ += ["allocate", "field", "fields", "load", "schedule", "simulate", "verify"]

# A package as well, so that torqsched.v1.schedule_pb2 is found, as protoc names what it makes.
__path__ = [os.path.join(folder, "torqsched") for folder in sys.path]

# The version of torqsched.h that this file was written for: major * 1000 + minor.
_ABI_VERSION = 1

# What a request may be: these, and any other object with the buffer protocol (mmap, array, NumPy).
# Nothing is copied unless its bytes lie apart, as those of a memoryview[::2] do.
BytesLike = Union[bytes, bytearray, memoryview]
Path = Union[str, "os.PathLike[str]"]


class Code(enum.IntEnum):
    """The outcome of a call: the numbers of gRPC's status codes. See torqsched_code."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Error(Exception):
    """What went wrong, and where in the request: a torqsched.v1.Error."""

    def __init__(self, code: Code, message: str, field: Optional[str] = None,
                 op: Optional[int] = None, buffer: Optional[int] = None) -> None:
        super().__init__(code, message, field, op, buffer)
        self.code = code
        self.message = message  # for people; names the place by itself
        self.field = field  # such as "stream.ops[12].accesses[1].size"; None: no one field
        self.op = op  # a position in the stream's ops; None: no one op
        self.buffer = buffer  # a position in the stream's buffers; None: no one buffer

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message}" if self.message else self.code.name

    @classmethod
    def _from_bytes(cls, number: int, message: bytes) -> Error:
        code = Code(number) if number in set(Code) else Code.UNKNOWN
        try:
            found = fields(message)
            op, buffer = (found.number(n) if n in found else None for n in (4, 5))
            return cls(code, found.text(2), found.text(3) or None, op, buffer)
        except ValueError:  # the code is what counts
            return cls(code, "the library's error does not parse")


# ---- The C interface ---------------------------------------------------------------------------

_pointer = ctypes.c_void_p


class _Buffer(ctypes.Structure):
    _fields_ = [("data", _pointer), ("size", c_size_t)]


class _Progress(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("fraction", ctypes.c_double)]
    _fields_ += [("best_makespan", c_uint64), ("has_best", c_int32)]


_LogFunction = CFUNCTYPE(None, _pointer, c_int32, c_char_p)
_ProgressFunction = CFUNCTYPE(c_int, _pointer, ctypes.POINTER(_Progress))
_OracleFunction = CFUNCTYPE(c_int, _pointer, _pointer, c_size_t, _pointer)


class _SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("user", _pointer)]
    _fields_ += [("log", _LogFunction), ("progress", _ProgressFunction)]
    _fields_ += [("oracle", _OracleFunction), ("memory_limit_bytes", c_uint64)]
    _fields_ += [("worker_threads", c_uint32), ("reuse_arenas", c_uint32)]


class _PyBuffer(ctypes.Structure):
    # CPython's Py_buffer, its owner as a plain address so that ctypes counts no references.
    _fields_ = [("buf", _pointer), ("obj", _pointer), ("len", ctypes.c_ssize_t)]
    _fields_ += [("others", _pointer * 8)]  # not looked at; no less room than they take


_python: Any = getattr(ctypes, "pythonapi", None)  # CPython's own
if _python is not None:
    _get_buffer, _release_buffer = _python["PyObject_GetBuffer"], _python["PyBuffer_Release"]
    _get_buffer.argtypes = [ctypes.py_object, _pointer, c_int]
    _release_buffer.argtypes, _release_buffer.restype = [_pointer], None


@contextlib.contextmanager
def _bytes_of(data: BytesLike) -> Iterator[Tuple[Any, int]]:
    """A pointer to an object's bytes, as ctypes takes it, and how many they are."""
    if isinstance(data, bytes):
        yield data, len(data)
        return
    view = memoryview(data)  # TypeError where it has no bytes: an int is no address, nor a size
    if _python is None or not view.c_contiguous:
        copy = view.tobytes()
        yield copy, len(copy)
        return
    # By itself ctypes points into writable objects only. The owner cannot move or free its bytes
    # until they are released: resizing a bytearray meanwhile is a BufferError.
    buffer = _PyBuffer()
    _get_buffer(view, byref(buffer), 0)  # PyBUF_SIMPLE
    try:
        yield buffer.buf, buffer.len
    finally:
        _release_buffer(byref(buffer))


def _open_library(name: Optional[str]) -> ctypes.CDLL:
    # RTLD_LOCAL: its names are nobody else's, however many libraries have Abseil and protobuf.
    mode = getattr(os, "RTLD_LOCAL", 0) | getattr(os, "RTLD_NOW", 0)
    refusals = []
    names: Tuple[Optional[str], ...] = ("libtorqsched.so.0.1", "libtorqsched.so", None)
    for candidate in [name] if name else names:
        # At last what the system makes of the bare name, which may take a compiler and its time.
        path = candidate or ctypes.util.find_library("torqsched")
        try:
            if path:
                return ctypes.CDLL(path, mode=mode)
        except OSError as error:
            refusals.append(str(error))
    raise OSError(
        "libtorqsched's shared library cannot be loaded; give torqsched.load() its path, or set "
        f"TORQSCHED_LIBRARY ({'; '.join(refusals)})"
    )


class _Calls:
    """The calls, which a library by itself and a session have in common."""

    def schedule(self, request: BytesLike) -> bytes:
        """ScheduleRequest to ScheduleResponse: see torqsched_schedule. Callbacks: all three."""
        return self._call("schedule", request)

    def simulate(self, request: BytesLike) -> bytes:
        """SimulateRequest to SimulateResponse: see torqsched_simulate. Callbacks: none."""
        return self._call("simulate", request)

    def allocate(self, request: BytesLike) -> bytes:
        """AllocateRequest to AllocateResponse: see torqsched_allocate. Callbacks: progress."""
        return self._call("allocate", request)

    def verify(self, request: BytesLike) -> bytes:
        """VerifyRequest to VerifyResponse: see torqsched_verify. Callbacks: none."""
        return self._call("verify", request)

    def _call(self, name: str, request: BytesLike) -> bytes:
        raise NotImplementedError


class Library(_Calls):
    """libtorqsched's shared library, loaded and checked. Its calls are those of no session.

    path: the file. None: the environment's TORQSCHED_LIBRARY; where that is not set, the name
    libtorqsched.so.0.1 or libtorqsched.so wherever the system looks for libraries. OSError where
    there is none, Error where its interface is another than this file was written for.
    """

    def __init__(self, path: Optional[Path] = None) -> None:
        name = os.fspath(path) if path is not None else os.environ.get("TORQSCHED_LIBRARY") or None
        if name == "":  # to dlopen it would be the program itself
            raise ValueError("the library's path is empty")
        dll = _open_library(name)

        def function(name: str, result: Any, *arguments: Any) -> Any:
            found = dll[f"torqsched_{name}"]  # an object of its own: nobody else changes it
            found.restype, found.argtypes = result, arguments
            return found

        try:
            self._functions = {
                call: function(call, c_int32, _pointer, _pointer, c_size_t, _pointer)
                for call in ("schedule", "simulate", "allocate", "verify")
            }
            self._buffer_free = function("buffer_free", None, _pointer)
            self._buffer_assign = function("buffer_assign", c_int32, _pointer, _pointer, c_size_t)
            self._session_new = function("session_new", c_int32, _pointer, _pointer, _pointer)
            self._session_free = function("session_free", None, _pointer)
            self.version: str = function("version", c_char_p)().decode()
            self.abi_version: int = function("abi_version", c_uint32)()
            serves = function("check_abi", c_int32, c_uint32)(_ABI_VERSION) == Code.OK
        except AttributeError as error:
            raise OSError(f"no libtorqsched: {error}") from None  # which names the file
        if not serves:
            text = f"{dll._name} has interface version {self.abi_version}; expected {_ABI_VERSION}"
            raise Error(Code.FAILED_PRECONDITION, text)

    def _call(self, name: str, request: BytesLike, session: Optional[int] = None) -> bytes:
        function = self._functions[name]
        out = _Buffer()
        try:
            if type(request) is bytes:  # most often, and then without a context manager
                code = function(session, request, len(request), byref(out))
            else:
                with _bytes_of(request) as (data, size):
                    code = function(session, data, size, byref(out))
            answer = ctypes.string_at(out.data, out.size) if out.size else b""
        finally:
            self._buffer_free(byref(out))
        if code != Code.OK:
            raise Error._from_bytes(code, answer)
        return answer


_default: Optional[Library] = None
_default_lock = threading.RLock()


def load(path: Optional[Path] = None) -> Library:
    """Loads the library that the functions of this module and new sessions use from now on.
    Without a path it is the one they use already, or, where there is none, Library(). They call
    this by themselves; call it to say where the library is, or to have an error early."""
    global _default
    with _default_lock:
        if path is not None or _default is None:
            _default = Library(path)
        return _default


class _Loaded(_Calls):
    """The calls of this module: those of the library that is loaded. No callbacks, no limits."""

    def _call(self, name: str, request: BytesLike) -> bytes:
        return (_default or load())._call(name, request)


_loaded = _Loaded()
schedule, simulate = _loaded.schedule, _loaded.simulate
allocate, verify = _loaded.allocate, _loaded.verify


# ---- Sessions ----------------------------------------------------------------------------------


class LogLevel(enum.IntEnum):
    """How much a remark matters. `10 * level + 10` is that level of the module logging."""

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


class Progress(NamedTuple):
    """How far a call is."""

    fraction: float  # of the work done, 0 to 1; never less than before in one call
    best_makespan: Optional[int]  # cycles, of the best answer so far; None: none is in hand


LogCallback = Callable[[LogLevel, str], object]
ProgressCallback = Callable[[Progress], object]  # a true value cancels the call
OracleCallback = Callable[[bytes], BytesLike]  # OracleRequest to OracleResponse


# CPython's own part of the module where there is one: conversions to enums take longer than a call.
_signals: Any = sys.modules.get("_signal", signal)


class _Call:
    """What one call on a session has to remember, and Python's handler of Ctrl-C until it is over.

    Python runs signal handlers before the first instruction of a function. The KeyboardInterrupt
    for a Ctrl-C that came while the library worked would so be raised in the function that the
    library calls back, but before the `try` of that function: ctypes can only print and drop it.
    This handler raises in the host's own code only; anywhere else it makes a note of it.
    """

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None  # what is to be raised at the call's end
        self.in_callback = False  # in the host's own code, where an exception is caught
        self.handler: Any = None  # that this one stands in for

    def __call__(self, *_signal: object) -> None:
        if self.in_callback:
            self.in_callback = False  # a second one must not hit what catches the first
            raise KeyboardInterrupt
        self.error = self.error or KeyboardInterrupt()

    def begin(self) -> None:
        """Handles Ctrl-C from now on: in the main thread, and unless the host handles it itself."""
        if threading.get_ident() == threading.main_thread().ident:
            handler = _signals.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler or isinstance(handler, _Call):
                self.handler = handler
                _signals.signal(signal.SIGINT, self)

    def end(self) -> None:
        if self.handler and _signals.getsignal(signal.SIGINT) is self:  # no callback made another
            _signals.signal(signal.SIGINT, self.handler)


class _Callbacks:
    """What the library calls back. Not the session itself: that would be a ring of references."""

    def __init__(self, library: Library, log: Any, progress: Any, oracle: Any) -> None:
        self.library, self.log, self.progress, self.oracle = library, log, progress, oracle
        self.calls: Dict[int, _Call] = {}  # by thread: callbacks run on the thread of their call

    def guard(self, failed: int, answer: Callable[..., int], *arguments: Any) -> int:
        """Answers one callback; no exception leaves it."""
        call = self.calls[threading.get_ident()]
        if call.error is not None:  # what was raised before ends the call
            return failed
        try:
            call.in_callback = True
            result = answer(*arguments)
            call.in_callback = False
            return result if call.error is None else failed
        except BaseException as error:
            call.in_callback = False
            call.error = error
            return failed

    def pointers(self) -> Tuple[Any, Any, Any]:
        """The three functions for C; NULL is an address of 0."""
        on_log: Any = functools.partial(self.guard, 0, self.on_log)
        on_progress: Any = functools.partial(self.guard, 1, self.on_progress)
        on_oracle: Any = functools.partial(self.guard, 1, self.on_oracle)
        return (
            _LogFunction(0 if self.log is None else on_log),
            _ProgressFunction(self.on_tick if self.progress is None else on_progress),
            _OracleFunction(0 if self.oracle is None else on_oracle),
        )

    def on_log(self, _user: Optional[int], level: int, message: bytes) -> int:
        known = LogLevel(min(max(level, LogLevel.DEBUG), LogLevel.ERROR))
        self.log(known, message.decode("utf-8", "replace"))
        return 0

    def on_tick(self, _user: Optional[int], _pointer: Any) -> int:
        """Progress that nobody wants to know of: so that Ctrl-C ends a call all the same."""
        return 1 if self.calls[threading.get_ident()].error is not None else 0

    def on_progress(self, _user: Optional[int], pointer: Any) -> int:
        best = pointer.contents.best_makespan if pointer.contents.has_best else None
        return 1 if self.progress(Progress(pointer.contents.fraction, best)) else 0

    def on_oracle(self, _user: Optional[int], request: int, size: int, response: int) -> int:
        answer = self.oracle(ctypes.string_at(request, size))  # never empty: it has a chip in it
        with _bytes_of(answer) as (data, answer_size):
            if self.library._buffer_assign(response, data, answer_size) != Code.OK:
                raise MemoryError("no memory for the oracle's response")
        return 0


class Session(_Calls):
    """Settings that calls share; any number of threads may use one at once.

    log       is called with what a call remarks.
    progress  is called now and then by schedule and allocate; a true value cancels the call: the
              best answer so far is then given, marked cancelled, or Error with Code.CANCELLED.
    oracle    places orders for requests with options.oracle HOST.

    Callbacks run on the thread of the call and may not call their own session (Error with
    Code.FAILED_PRECONDITION). What they raise ends the call and is raised by it, as is Ctrl-C. See
    torqsched_session_options for the rest. A session is closed by close(), at the end of a `with`,
    or when it is garbage; calls that still run on it then end as if it were open.
    """

    def __init__(self, *, log: Optional[LogCallback] = None,
                 progress: Optional[ProgressCallback] = None,
                 oracle: Optional[OracleCallback] = None, memory_limit_bytes: int = 0,
                 worker_threads: int = 0, reuse_arenas: bool = False,
                 library: Optional[Library] = None) -> None:
        if not 0 <= memory_limit_bytes < 1 << 64 or not 0 <= worker_threads < 1 << 32:
            raise ValueError("a limit is negative or too large")  # ctypes would cut it off
        for name, callback in (("log", log), ("progress", progress), ("oracle", oracle)):
            if callback is not None and not callable(callback):
                raise TypeError(f"{name} is no function, but {type(callback).__name__}")
        self._handle: Optional[int] = None
        self._library = library or load()
        self._lock = threading.RLock()  # of the members below; a signal handler may close, too
        self._closed = False
        self._running = 0  # how many calls
        callbacks = self._callbacks = _Callbacks(self._library, log, progress, oracle)
        self._pointers = callbacks.pointers()  # kept: the library's copies keep nothing alive
        options = _SessionOptions(
            ctypes.sizeof(_SessionOptions), None, *self._pointers,
            memory_limit_bytes, worker_threads, bool(reuse_arenas),
        )
        handle, error = _pointer(), _Buffer()
        code = self._library._session_new(byref(options), byref(handle), byref(error))
        self._handle = handle.value
        answer = ctypes.string_at(error.data, error.size) if error.size else b""
        self._library._buffer_free(byref(error))
        if code != Code.OK:
            raise Error._from_bytes(code, answer)

    def close(self) -> None:
        """Frees the session once no call runs on it. A second call does nothing."""
        with self._lock:
            self._closed = True
            self._free_if_done()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:  # __init__ may not have come so far
            self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Session can be neither copied nor pickled")

    def _free_if_done(self) -> None:
        if self._closed and self._running == 0 and self._handle is not None:
            handle, self._handle = self._handle, None
            self._library._session_free(handle)

    def _call(self, name: str, request: BytesLike) -> bytes:
        call = _Call()
        if name in ("schedule", "allocate"):  # the others call nothing back
            call.begin()
        try:
            answer = self._run(call, name, request)
        except Exception:
            if call.error is None:
                raise
        finally:
            call.end()
        error, call.error = call.error, None
        if error is None:
            return answer
        try:
            raise error
        finally:
            del error  # its traceback has this frame: no ring

    def _run(self, call: _Call, name: str, request: BytesLike) -> bytes:
        thread, calls = threading.get_ident(), self._callbacks.calls
        with self._lock:
            if self._closed:
                raise Error(Code.FAILED_PRECONDITION, "the session is closed")
            self._running += 1
        outer = calls.get(thread)  # of a callback that calls its own session, which will fail
        calls[thread] = call
        try:
            return self._library._call(name, request, self._handle)
        finally:
            if outer is None:
                del calls[thread]
            else:
                calls[thread] = outer
            with self._lock:
                self._running -= 1
                self._free_if_done()


# ---- Messages without the protobuf package -----------------------------------------------------


class Fields:
    """The fields of one message, its sub-messages as bytes. ValueError where the bytes are none. As
    in protobuf, a field of another wire type than is asked for is not there."""

    def __init__(self, message: BytesLike) -> None:
        self._values: Dict[int, List[Union[int, bytes]]] = {}
        data, at = bytes(memoryview(message)), 0
        while at < len(data):
            tag, at = _read_varint(data, at)
            number, wire_type = tag >> 3, tag & 7
            if not 0 < number < 1 << 29 or wire_type not in (0, 1, 2, 5):  # no groups
                raise ValueError(f"no field begins with {tag}, before byte {at}")
            value: Union[int, bytes]
            if wire_type == 0:
                value, at = _read_varint(data, at)
            else:
                size = 8 if wire_type == 1 else 4
                if wire_type == 2:
                    size, at = _read_varint(data, at)
                if size > len(data) - at:
                    raise ValueError(f"field {number} is cut short at byte {len(data)}")
                content, at = data[at : at + size], at + size
                value = content if wire_type == 2 else int.from_bytes(content, "little")
            self._values.setdefault(number, []).append(value)

    def __contains__(self, number: object) -> bool:
        return number in self._values

    def number(self, number: int, default: int = 0) -> int:
        """A number, a bool or an enum; of several the last."""
        found = [value for value in self._values.get(number, []) if isinstance(value, int)]
        return found[-1] if found else default

    def numbers(self, number: int) -> List[int]:
        """A repeated number, packed or not."""
        found: List[int] = []
        for value in self._values.get(number, []):
            packed, at = (_varint(value) if isinstance(value, int) else value), 0
            while at < len(packed):
                element, at = _read_varint(packed, at)
                found.append(element)
        return found

    def text(self, number: int, default: str = "") -> str:
        """A string; of several the last."""
        found = self.messages(number)
        return found[-1].decode("utf-8") if found else default

    def message(self, number: int) -> bytes:
        """A sub-message, empty where it is not there; several are one, as protobuf merges them."""
        return b"".join(self.messages(number))

    def messages(self, number: int) -> List[bytes]:
        """A repeated sub-message, string or bytes."""
        return [value for value in self._values.get(number, []) if isinstance(value, bytes)]


fields = Fields  # fields(response).number(8): a ScheduleResponse's allocated_makespan


def field(number: int, value: Union[int, str, BytesLike, Iterable[int]]) -> bytes:
    """Writes one field: a number, bool or enum; a string; bytes or a sub-message; or a list of
    numbers, packed. A message is its fields one after the other, in any order."""
    if not 0 < number < 1 << 29:
        raise ValueError(f"there is no field {number}")
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, str):
        content = value.encode("utf-8")
    elif isinstance(value, (bytes, bytearray, memoryview)):
        content = bytes(value)
    else:
        content = b"".join(map(_varint, value))
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    if not -(1 << 63) <= value < 1 << 64:
        raise ValueError(f"{value} has more than 64 bits")
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def _read_varint(data: bytes, at: int) -> Tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError(f"a number is cut short at byte {at}")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise ValueError(f"a number has more than ten bytes, before byte {at}")
