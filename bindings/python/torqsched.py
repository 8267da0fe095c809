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
import operator
import os
import sys
import threading
from ctypes import CFUNCTYPE, byref, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_uint64
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, NoReturn, Optional
from typing import Set, Tuple, Union

__version__ = "0.1.0"
__all__ = ["BytesLike", "Code", "Error", "Fields", "Library", "LogLevel", "Progress", "Session"]
__all__ += ["allocate", "field", "fields", "judge_warm", "load", "lower", "plan_residency"]
__all__ += ["plan_tiles", "plan_warm", "schedule", "simulate", "verify"]

# A package as well, so that torqsched.v1.schedule_pb2 is found, as protoc names what it makes.
__path__ = [os.path.join(folder, "torqsched") for folder in sys.path]

# The version of torqsched.h that this file was written for: major * 1000 + minor.
_ABI_VERSION = 1

# What a request may be: these, and any other object with the buffer protocol (mmap, array, NumPy).
# Nothing is copied unless its bytes lie apart, as those of a memoryview[::2] do.
BytesLike = Union[bytes, bytearray, memoryview]
Path = Union[str, "os.PathLike[str]"]


# The outcome of a call: the numbers of gRPC's status codes. See torqsched_code.
Code = enum.IntEnum("Code", """
    OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS
    PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED
    INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED""", start=0)

# How much a remark matters. `10 * level + 10` is that level of the module logging.
LogLevel = enum.IntEnum("LogLevel", "DEBUG INFO WARNING ERROR", start=0)


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
    text = "libtorqsched's shared library cannot be loaded; give torqsched.load() its path, or set"
    raise OSError(f"{text} TORQSCHED_LIBRARY ({'; '.join(refusals)})")


class _Calls:
    """The calls. Here on the library that is loaded; a Library and a Session have their own. Each
    is the C interface's of its name; callbacks: all in schedule, progress in allocate and, with
    options.tuning, in lower, else none.
    """

    def schedule(self, request: BytesLike) -> bytes:
        """ScheduleRequest to ScheduleResponse: see torqsched_schedule."""
        return self._call("schedule", request)

    def simulate(self, request: BytesLike) -> bytes:
        """SimulateRequest to SimulateResponse: see torqsched_simulate."""
        return self._call("simulate", request)

    def allocate(self, request: BytesLike) -> bytes:
        """AllocateRequest to AllocateResponse: see torqsched_allocate."""
        return self._call("allocate", request)

    def plan_residency(self, request: BytesLike) -> bytes:
        """PlanResidencyRequest to PlanResidencyResponse: see torqsched_plan_residency."""
        return self._call("plan_residency", request)

    def plan_warm(self, request: BytesLike) -> bytes:
        """PlanWarmRequest to PlanWarmResponse: see torqsched_plan_warm."""
        return self._call("plan_warm", request)

    def judge_warm(self, request: BytesLike) -> bytes:
        """JudgeWarmRequest to JudgeWarmResponse: see torqsched_judge_warm."""
        return self._call("judge_warm", request)

    def plan_tiles(self, request: BytesLike) -> bytes:
        """PlanTilesRequest to PlanTilesResponse: see torqsched_plan_tiles."""
        return self._call("plan_tiles", request)

    def lower(self, request: BytesLike) -> bytes:
        """LowerRequest to LowerResponse: see torqsched_lower."""
        return self._call("lower", request)

    def verify(self, request: BytesLike) -> bytes:
        """VerifyRequest to VerifyResponse: see torqsched_verify."""
        return self._call("verify", request)

    def _call(self, name: str, request: BytesLike) -> bytes:
        return (_default or load())._call(name, request)


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
                for call in vars(_Calls) if not call.startswith("_")
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


# The calls of this module. No callbacks, no limits.
_loaded = _Calls()
schedule, simulate, allocate = _loaded.schedule, _loaded.simulate, _loaded.allocate
plan_residency, verify = _loaded.plan_residency, _loaded.verify
plan_warm, judge_warm = _loaded.plan_warm, _loaded.judge_warm
plan_tiles, lower = _loaded.plan_tiles, _loaded.lower


class Progress(NamedTuple):
    """How far a call is."""

    fraction: float  # of the work done, 0 to 1; never less than before in one call
    best_makespan: Optional[int]  # cycles, of the best answer so far; None: none is in hand


LogCallback = Callable[[LogLevel, str], object]
ProgressCallback = Callable[[Progress], object]  # a true value cancels the call
OracleCallback = Callable[[bytes], BytesLike]  # OracleRequest to OracleResponse


# Python runs signal handlers, and raises what another thread sent with PyThreadState_SetAsyncExc,
# before the first instruction of a function: of one that the library calls back, before its `try`.
# ctypes hands such an exception to sys.unraisablehook, and the library gets a chance value for an
# answer. So two things are done in C, which nothing interrupts: a callback is counted before its
# function begins (lru_cache counts a miss), and what ctypes hands on is put into a list, for the
# call to raise, whatever its answer is. Properties with an attrgetter differ by thread in C.


class _Here(threading.local):
    """What belongs to one thread. To ctypes, the function that all sessions have called back."""

    __call__: Any = property(operator.attrgetter("guard"))

    def __init__(self) -> None:
        self.call: Optional[_Call] = None  # the innermost on this thread that may call back
        self.guard = functools.lru_cache(maxsize=0)(_guard)
        self.ended = 0

    def open(self) -> int:
        """How many callbacks began and did not end."""
        return self.guard.cache_info().misses - self.ended


class _Hook(threading.local):
    """sys.unraisablehook while calls run. By thread: puts things aside, or hands them on."""

    __call__: Any = property(operator.attrgetter("deliver"))

    def __init__(self, previous: Any) -> None:
        self.previous = self.deliver = previous


class _Call:
    """What one call that may call back has to remember."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.errors: List[BaseException] = []  # the one that is to be raised at the call's end
        self.lost: List[Any] = []  # what the hook put aside
        self.hook = _hold_hook()
        self.open = _here.open()

    def failed(self, own: int = 0) -> bool:
        """Whether an exception ends the call. own: the callbacks that may be open now."""
        while self.lost:
            lost = self.lost.pop(0)
            # From 3.13 on there is no object, but a message, and where it failed only the place.
            at = lost.exc_traceback and lost.exc_traceback.tb_frame.f_code
            own_message = lost.object is _here or repr(_here) in str(lost.err_msg)
            if not own_message and at is not _guard.__code__:
                self.hook.previous(lost)  # such as of a __del__
            elif not self.errors:
                self.errors = [lost.exc_type() if lost.exc_value is None else lost.exc_value]
        if not self.errors and _here.open() != self.open + own:  # another hook was put in place
            self.errors = [Error(Code.UNKNOWN, "an unknown exception interrupted a callback")]
        return bool(self.errors)


def _guard(*arguments: Any) -> int:
    """Answers one callback; no exception leaves it once it is in its `try`."""
    try:
        call, failed = _here.call, 1
        if not call.failed(1):  # else what was raised before ends the call
            call.hook.deliver = call.hook.previous  # the host's own code is to see no difference
            failed = call.session._answers[len(arguments)](call.session, *arguments)
            call.hook.deliver = call.lost.append
    except BaseException as error:  # from 3.11 on nothing interrupts what calls nothing
        call, failed = _here.call, 1
        call.errors = [error]
        call.hook.deliver = call.lost.append
    _here.ended += 1
    return failed


_here: Any = _Here()
_log_function, _progress_function = _LogFunction(_here), _ProgressFunction(_here)
_oracle_function = _OracleFunction(_here)
_hook_threads: Set[int] = set()  # that have calls
_hook_lock = threading.RLock()


def _hold_hook() -> Any:
    """Puts a hook in place, unless there is one, until no thread needs it."""
    with _hook_lock:
        _hook_threads.add(threading.get_ident())
        if not isinstance(sys.unraisablehook, _Hook):
            sys.unraisablehook = _Hook(sys.unraisablehook)
        return sys.unraisablehook


def _drop_hook() -> None:
    with _hook_lock:
        _hook_threads.discard(threading.get_ident())
        hook: Any = sys.unraisablehook  # one that the host put there meanwhile stays
        if not _hook_threads and isinstance(hook, _Hook):
            sys.unraisablehook = hook.previous


def _after_fork() -> None:
    """In a child process: what other threads held is free, for they are not there any more."""
    global _default_lock, _hook_lock
    _default_lock, _hook_lock = threading.RLock(), threading.RLock()
    _hook_threads.intersection_update([threading.get_ident()])
    if not _hook_threads:
        _drop_hook()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Handle(_pointer):
    """A session of the library, freed with the last reference to it. Calls hold one each, so no
    lock is needed, nor a count that a signal handler, or a fork, may leave wrong."""

    free: Optional[Callable[[_Handle], None]] = None

    def __del__(self) -> None:
        if self and self.free is not None:
            self.free(self)


class Session(_Calls):
    """Settings that calls share; any number of threads may use one at once.

    log       is called with what a call remarks.
    progress  is called now and then by schedule, allocate and, with options.tuning, lower; a true
              value cancels the call: the best answer so far is then given, marked cancelled, or
              Error with Code.CANCELLED.
    oracle    places orders for requests with options.oracle HOST.

    Callbacks run on the thread of the call and may not call their own session (Error with
    Code.FAILED_PRECONDITION). What they or signal handlers raise ends the call and is raised by it.
    See torqsched_session_options for the rest. A session is closed by close(), at the end of a
    `with`, or when it is garbage; calls that still run on it then end as if it were open.
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
        self._library = library or load()
        callbacks: Tuple[Any, Any, Any] = (log, progress, oracle)
        self._log, self._progress, self._oracle = callbacks
        # With progress that nobody asked for: so that signal handlers run, and end a call.
        options = _SessionOptions(
            ctypes.sizeof(_SessionOptions), None,
            _log_function if log is not None else _LogFunction(0), _progress_function,
            _oracle_function if oracle is not None else _OracleFunction(0),
            memory_limit_bytes, worker_threads, bool(reuse_arenas),
        )
        handle, error = _Handle(), _Buffer()
        code = self._library._session_new(byref(options), byref(handle), byref(error))
        handle.free = self._library._session_free
        self._handle: Optional[_Handle] = handle
        answer = ctypes.string_at(error.data, error.size) if error.size else b""
        self._library._buffer_free(byref(error))
        if code != Code.OK:
            raise Error._from_bytes(code, answer)

    def close(self) -> None:
        """Frees the session once no call runs on it. A second call does nothing."""
        self._handle = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Session can be neither copied nor pickled")

    def _on_log(self, _user: Optional[int], level: int, message: bytes) -> int:
        self._log(LogLevel(min(max(level, 0), 3)), message.decode("utf-8", "replace"))
        return 0

    def _on_progress(self, _user: Optional[int], pointer: Any) -> int:
        if self._progress is None:
            return 0
        best = pointer.contents.best_makespan if pointer.contents.has_best else None
        return 1 if self._progress(Progress(pointer.contents.fraction, best)) else 0

    def _on_oracle(self, _user: Optional[int], request: int, size: int, response: int) -> int:
        answer = self._oracle(ctypes.string_at(request, size))  # never empty: it has a chip in it
        with _bytes_of(answer) as (data, answer_size):
            if self._library._buffer_assign(response, data, answer_size) != Code.OK:
                raise MemoryError("no memory for the oracle's response")
        return 0

    _answers = {2: _on_progress, 3: _on_log, 4: _on_oracle}  # each has its number of arguments

    def _call(self, name: str, request: BytesLike) -> bytes:
        handle = self._handle
        if handle is None:
            raise Error(Code.FAILED_PRECONDITION, "the session is closed")
        try:
            if name in ("schedule", "allocate", "lower"):  # the others call nothing back
                return self._run(name, request, handle.value)
            return self._library._call(name, request, handle.value)
        finally:
            del handle  # which the traceback of an exception would keep

    def _run(self, name: str, request: BytesLike, handle: Optional[int]) -> bytes:
        outer, call = _here.call, _Call(self)  # outer: in whose callback this is
        try:
            _here.call, call.hook.deliver = call, call.lost.append
            try:
                answer = self._library._call(name, request, handle)
            except Exception:
                if not call.failed():
                    raise
            if not call.failed():
                return answer
        finally:
            _here.call, call.hook.deliver = outer, call.hook.previous
            _here.ended += _here.open() - call.open  # these will not end any more
            if outer is None:
                _drop_hook()
        raise call.errors.pop()  # its traceback has this frame, which has it no more: no ring


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
            size = 8 if wire_type == 1 else 4
            if wire_type in (0, 2):
                size, at = _read_varint(data, at)
            value: Union[int, bytes] = size  # which of wire type 0 is the number itself
            if wire_type != 0:
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
    value, out = value & (1 << 64) - 1, b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


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
