"""Tests of torqsched.py. TORQSCHED_LIBRARY: the shared library; TORQSCHED_STREAMS: the folder of
requests that a distribution has in share/torqsched/streams, beside warm."""

import array
import contextlib
import copy
import ctypes
import gc
import mmap
import os
import pickle
import random
import resource
import sys
import tempfile
import threading
import time
import traceback
import unittest
import weakref
from pathlib import Path
from typing import Any, Iterator, List, Type

import torqsched
from torqsched import Code, Error, Session, field, fields

STREAMS = Path(os.environ["TORQSCHED_STREAMS"])
REQUEST = (STREAMS / "worked-example-1.binpb").read_bytes()
WARM = STREAMS.parent / "warm"
CALLS = ("schedule", "simulate", "allocate", "plan_residency", "plan_warm", "judge_warm")
CALLS += ("plan_tiles", "lower", "verify")
EMPTY = field(1, b"")  # a stream without ops
HOST_ORACLE = field(3, field(2, 2))  # fields of messages add up: options.oracle is HOST
ORDER = [0, 1, 3, 4, 6, 2, 7, 5, 8, 9]


def slow_request() -> bytes:
    """A search of two minutes, unless it is stopped: however slow the machine, it is stopped."""
    stream = (STREAMS / "resnet50-int8.first20-over50.binpb").read_bytes()
    return stream + field(3, field(1, 3) + field(9, 1 << 40) + field(10, 120_000))


def oracle(request: bytes) -> bytes:
    makespan = fields(torqsched.simulate(request)).number(1)
    return field(1, True) + field(3, makespan)


def residency(sram_bytes: int, *names: str) -> bytes:
    """A plan for a crossbar, so much SRAM, and a program with tensors of these names, each an
    activation of 450 bytes that moves 900, written in phase 0 and read in phase 1."""
    program = b""
    for position, name in enumerate(names):
        program += field(4, field(1, name) + field(2, 1) + field(3, 450) + field(4, 900))
        program += field(5, field(1, position) + field(4, True))
        program += field(5, field(1, position) + field(3, 1))
    return field(1, field(1, sram_bytes) + field(3, True)) + field(2, program)


def tiles(m: int) -> bytes:
    """Budgets for one contraction, m x 768 by 768 x 3072, of 16 bits each, whose weight is all the
    constants there are."""
    shape = field(2, m) + field(3, 3072) + field(4, 768)
    shape += field(5, 16) + field(6, 16) + field(7, 16)
    return field(2, 3072 * 768 * 2) + field(3, field(2, True) + field(6, shape))


def table(tuned: bool = False) -> bytes:
    """A lowering of one elementwise layer, which makes 128 bytes of the 128 that the network is
    given."""
    layer = field(2, "elementwise") + field(4, [1])  # -1, as a sint32
    layer += field(5, [128]) + field(6, 128)
    return field(1, field(2, layer)) + (field(3, field(7, b"")) if tuned else b"")


class Case(unittest.TestCase):
    """Fails where an exception was lost: ctypes prints what leaves a callback, and goes on."""

    def setUp(self) -> None:
        self.lost: List[Any] = []
        hook, sys.unraisablehook = sys.unraisablehook, self.lost.append
        self.addCleanup(setattr, sys, "unraisablehook", hook)

    def tearDown(self) -> None:
        gc.collect()
        self.assertEqual([], [(lost.exc_value, lost.object) for lost in self.lost])

    @contextlib.contextmanager
    def fails(self, code: Code, text: str = "") -> Iterator[Any]:
        with self.assertRaises(Error) as caught:
            yield caught
        self.assertIs(code, caught.exception.code)
        self.assertIn(text, caught.exception.message)

    def raised(self, kind: Type[BaseException], call: Any, *arguments: Any) -> BaseException:
        """The exception that a call ends with, with its traceback, which assertRaises drops."""
        try:
            call(*arguments)
        except kind as error:
            return error
        raise AssertionError(f"no {kind.__name__}")


class LibraryTest(Case):
    def test_versions(self) -> None:
        library = torqsched.load()
        self.assertEqual(torqsched.__version__, library.version)
        self.assertEqual(1, library.abi_version)
        self.assertIs(library, torqsched.load())

    def test_paths(self) -> None:
        path = os.environ["TORQSCHED_LIBRARY"]
        self.assertTrue(torqsched.Library(path).schedule(REQUEST))
        self.assertTrue(torqsched.Library(Path(path)).schedule(REQUEST))
        for wrong in ("/no/such/file.so", __file__, "libc.so.6"):
            with self.subTest(wrong), self.assertRaisesRegex(OSError, wrong):
                torqsched.Library(wrong)
        with self.assertRaises(ValueError):
            torqsched.Library("")

    def test_another_interface(self) -> None:
        torqsched._ABI_VERSION = 2
        try:
            with self.fails(Code.FAILED_PRECONDITION, "interface version 1; expected 2"):
                torqsched.Library()
        finally:
            torqsched._ABI_VERSION = 1

    def test_its_names_are_local(self) -> None:
        torqsched.load()
        self.assertFalse(hasattr(ctypes.CDLL(None), "torqsched_version"))


class CallsTest(Case):
    def test_answers(self) -> None:
        with Session() as session:
            for calls in (torqsched, torqsched.load(), session):
                with self.subTest(calls):
                    response = calls.schedule(REQUEST)
                    answer = fields(response)
                    self.assertEqual((410, 250), (answer.number(9), answer.number(8)))
                    self.assertEqual(ORDER, answer.numbers(1))
                    checked = fields(calls.verify(REQUEST + field(3, response)))
                    self.assertNotIn(1, checked)
                    self.assertEqual(250, checked.number(2))
                    priced = REQUEST + b"".join(field(n + 2, answer.numbers(n)) for n in (1, 2, 3))
                    self.assertEqual(250, fields(calls.simulate(priced)).number(1))
                    self.assertEqual(300, fields(calls.allocate(REQUEST)).number(3))

    def test_plans_of_residency(self) -> None:
        with Session(progress=lambda _: True) as session:  # which this call does not ask
            for calls in (torqsched, torqsched.load(), session):
                for sram, tier in ((1000, 1), (450, 1), (449, 3)):  # SRAM, or DRAM
                    with self.subTest(calls, sram=sram):
                        plan = fields(calls.plan_residency(residency(sram, "y")))
                        programs = plan.messages(1)
                        self.assertEqual([[tier]], [fields(one).numbers(1) for one in programs])
                        traffic = fields(plan.message(4))  # a field for each tier
                        self.assertEqual(900, traffic.number(tier))
                        self.assertEqual(0, traffic.number(4 - tier))
                with self.subTest(calls), self.fails(Code.INVALID_ARGUMENT) as caught:
                    calls.plan_residency(residency(1000, "y", "y"))
                self.assertEqual("programs[0].tensors[1].name", caught.exception.field)
                self.assertNotIn(1, fields(calls.plan_residency(b"")))  # no programs

    def test_plans_of_warms(self) -> None:
        request = (WARM / "two-weights.binpb").read_bytes()
        with Session(progress=lambda _: True) as session:  # which this call does not ask
            for calls in (torqsched, torqsched.load(), session):
                with self.subTest(calls):
                    kind = fields(fields(calls.plan_warm(request)).message(1))
                    without, saved = 1_050_000, 100_663_296 * 17 // 100_000
                    self.assertEqual((without, without - saved), (kind.number(6), kind.number(7)))
                    (scope,) = map(fields, kind.messages(3))
                    self.assertEqual(0, scope.number(1, -1))  # after q_up
                    regions = [fields(region) for region in scope.messages(4)]
                    self.assertEqual([0, 1], [region.number(1) for region in regions])
                    landed = [region.number(3) for region in regions]  # at 285 bytes a nanosecond
                    self.assertEqual([357_470, 357_470 + 117_735], landed)
                with self.subTest(calls), self.fails(Code.INVALID_ARGUMENT) as caught:
                    calls.plan_warm(b"")
                self.assertEqual("timeline", caught.exception.field)

    def test_judgements_of_warms(self) -> None:
        rounds = (WARM / "rounds.binpb").read_bytes()
        even = field(1, field(3, [1_000_000] * 60)) + field(1, field(2, 1) + field(3, [980_000] * 60))
        with Session(progress=lambda _: True) as session:  # which this call does not ask
            for calls in (torqsched, torqsched.load(), session):
                for request, gain, least in ((even, 20_000, 5000), (rounds, 15_980, 5254)):
                    with self.subTest(calls, gain=gain):
                        judged = fields(calls.judge_warm(request))
                        self.assertEqual((2, least), (judged.number(1), judged.number(5)))  # SHIP
                        median = fields(fields(judged.message(6)).message(4))
                        self.assertEqual(-gain, median.number(1) - 2**64)
                with self.subTest(calls), self.fails(Code.INVALID_ARGUMENT) as caught:
                    calls.judge_warm(b"")
                self.assertEqual("series", caught.exception.field)

    def test_plans_of_tiles(self) -> None:
        with Session(progress=lambda _: True) as session:  # which this call does not ask
            for calls in (torqsched, torqsched.load(), session):
                with self.subTest(calls):
                    loop = fields(fields(calls.plan_tiles(tiles(128))).message(1))
                    self.assertEqual(523_008, loop.number(1))  # all of LRAM:
                    self.assertEqual(5, loop.number(2))  # ROWS_STAY_WHOLE
                    self.assertNotIn(1, fields(calls.plan_tiles(b"")))  # no loops
                with self.subTest(calls), self.fails(Code.INVALID_ARGUMENT) as caught:
                    calls.plan_tiles(tiles(0))
                self.assertEqual("loops[0].shape.m", caught.exception.field)

    def test_lowering(self) -> None:
        with Session(progress=lambda _: True) as session:  # which is asked where budgets are tried
            for calls in (torqsched, torqsched.load(), session):
                with self.subTest(calls):
                    lowered = fields(calls.lower(table()))
                    self.assertIn(3, fields(lowered.message(1)))  # ops of the stream
                    layer = fields(lowered.message(2))
                    numbers = [layer.number(n) for n in (11, 14, 17)]
                    self.assertEqual([1, 128, 128], numbers)  # programs; bytes loaded, stored
                    self.assertNotIn(5, lowered)
                    tuning = fields(fields(calls.lower(table(tuned=True))).message(5))
                    self.assertEqual(calls is session, bool(tuning.number(7)))  # cancelled
                with self.subTest(calls), self.fails(Code.INVALID_ARGUMENT) as caught:
                    calls.lower(b"")
                self.assertEqual("network", caught.exception.field)

    def test_messages_of_the_protobuf_package(self) -> None:
        try:
            from torqsched.v1 import schedule_pb2
        except ImportError as error:
            raise unittest.SkipTest(str(error)) from None
        request = schedule_pb2.ScheduleRequest.FromString(REQUEST)
        request.options.strategy = schedule_pb2.STRATEGY_OPTIMIZE
        response = schedule_pb2.ScheduleResponse.FromString(
            torqsched.schedule(request.SerializeToString())
        )
        self.assertEqual((250, ORDER), (response.allocated_makespan, list(response.order)))
        self.assertTrue(response.proven_optimal)

    def test_an_answer_of_no_bytes(self) -> None:
        self.assertEqual(b"", torqsched.verify(EMPTY + field(3, b"")))

    def test_bytes_like_requests(self) -> None:
        padded = b"xyz" + REQUEST + b"!"
        apart = bytearray(2 * len(REQUEST))
        apart[::2] = REQUEST
        with tempfile.TemporaryFile() as file:
            file.write(REQUEST)
            file.flush()
            read_only = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            for request in (
                bytearray(REQUEST),
                memoryview(REQUEST),
                memoryview(padded)[3:-1],
                memoryview(bytearray(padded))[3:-1],
                memoryview(apart)[::2],
                memoryview(REQUEST).cast("B", (2, len(REQUEST) // 2)),
                array.array("B", REQUEST),
                array.array("H", REQUEST),
                (ctypes.c_char * len(REQUEST)).from_buffer_copy(REQUEST),
                read_only,
                type("Bytes", (bytes,), {})(REQUEST),
            ):
                with self.subTest(type(request).__name__):
                    self.assertEqual(torqsched.schedule(REQUEST), torqsched.schedule(request))
            read_only.close()  # BufferError if it were still held

    def test_a_request_is_held_not_copied(self) -> None:
        request = bytearray(REQUEST)

        def grow(_progress: torqsched.Progress) -> None:
            with self.assertRaises(BufferError):
                request.append(0)

        Session(progress=grow).schedule(request)
        request.append(0)

    def test_what_has_no_bytes(self) -> None:
        for wrong in (None, 5, 2**63, "text", [1, 2], object()):
            with self.subTest(wrong), self.assertRaises(TypeError):
                torqsched.schedule(wrong)
        released = memoryview(REQUEST)
        released.release()
        with self.assertRaises(ValueError):
            torqsched.schedule(released)

    def test_bad_bytes(self) -> None:
        dice = random.Random(1)
        calls = [getattr(torqsched, name) for name in CALLS]
        requests = [REQUEST[:size] for size in range(len(REQUEST))]
        requests += [dice.randbytes(dice.randrange(200)) for _ in range(300)]
        for _ in range(300):
            damaged = bytearray(REQUEST)
            for _ in range(dice.randrange(1, 5)):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            requests.append(bytes(damaged))
        refused = 0
        for request in requests:
            for call in calls:
                try:
                    call(request)
                except Error as error:
                    refused += 1
                    self.assertTrue(error.message)
        self.assertGreater(refused, len(requests))

    def test_errors_say_where(self) -> None:
        stream = field(2, field(2, 2)) + field(3, b"") + field(3, field(8, field(1, 7)))
        with self.fails(Code.INVALID_ARGUMENT) as caught:
            torqsched.schedule(field(1, stream))
        error = caught.exception
        self.assertEqual(1, error.op)
        self.assertTrue(error.field.startswith("stream.ops[1].accesses[0]"), error.field)
        self.assertEqual(f"INVALID_ARGUMENT: {error.message}", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((error.args, str(error)), (again.args, str(again)))
        with self.fails(Code.NOT_FOUND) as caught:
            torqsched.schedule(EMPTY + field(2, field(1, "no such chip")))
        self.assertIsNone(caught.exception.op)
        self.assertIsNone(caught.exception.buffer)

    def test_errors_of_odd_bytes(self) -> None:
        self.assertIs(Code.UNKNOWN, Error._from_bytes(99, b"").code)
        self.assertEqual("RESOURCE_EXHAUSTED", str(Error._from_bytes(8, b"")))
        for odd in (b"\xff", b"\x12\x02\xff\xfe", b"\x12\x05ab"):
            self.assertIs(Code.INTERNAL, Error._from_bytes(13, odd).code)

    def test_nothing_leaks(self) -> None:
        def size() -> int:
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB

        in_detail = REQUEST + HOST_ORACLE + field(3, field(7, True) + field(8, True))

        def work(times: int) -> None:
            for _ in range(times):
                with Session(progress=lambda _: False, oracle=oracle) as session:
                    session.schedule(in_detail)
                    with contextlib.suppress(Error):
                        session.simulate(bytearray(b"bad"))

        work(100)
        before = size()
        work(3000)
        self.assertLess(size() - before, 2000)


class SessionsTest(Case):
    def test_progress(self) -> None:
        told: List[torqsched.Progress] = []
        with Session(progress=told.append) as session:
            self.assertEqual(torqsched.schedule(REQUEST), session.schedule(REQUEST))
        self.assertEqual((0.0, None), told[0])
        self.assertEqual((1.0, 250), told[-1])
        self.assertEqual(sorted(told, key=lambda one: one.fraction), told)

    def test_cancelling(self) -> None:
        with Session(progress=lambda _: "yes") as session:
            with self.fails(Code.CANCELLED, "cancelled"):
                session.schedule(REQUEST)
        with Session(progress=lambda one: one.best_makespan is not None) as session:
            self.assertEqual(1, fields(session.schedule(REQUEST)).number(23))

    def test_log(self) -> None:
        lines: List[Any] = []
        with Session(log=lambda level, message: lines.append((level, message))) as session:
            session.schedule(REQUEST)
        self.assertTrue(lines)
        for level, message in lines:
            self.assertIsInstance(level, torqsched.LogLevel)
            self.assertIsInstance(message, str)

    def test_oracle(self) -> None:
        asked: List[bytes] = []

        def ask(request: bytes) -> bytes:
            asked.append(request)
            return oracle(request)

        with Session(oracle=ask) as session:
            answer = fields(session.schedule(REQUEST + HOST_ORACLE))
        self.assertEqual(250, answer.number(8))
        self.assertEqual(len(asked), fields(answer.message(20)).number(6))
        for of_type in (bytearray, memoryview, lambda some: memoryview(bytes(some))[::1]):
            with Session(oracle=lambda one: of_type(oracle(one))) as session:
                self.assertEqual(250, fields(session.schedule(REQUEST + HOST_ORACLE)).number(8))
        with Session(oracle=lambda _: b"") as session:  # no bytes: not placed
            self.assertNotIn(8, fields(session.schedule(REQUEST + HOST_ORACLE)))
        with Session(oracle=lambda _: b"\x07garbage") as session:
            with self.fails(Code.INTERNAL, "OracleResponse") as caught:
                session.schedule(REQUEST + HOST_ORACLE)
            self.assertEqual("oracle_response", caught.exception.field)
        with self.fails(Code.FAILED_PRECONDITION, "oracle"):
            torqsched.schedule(REQUEST + HOST_ORACLE)

    def test_an_oracle_that_answers_no_bytes(self) -> None:
        for wrong in (None, 5, "text", (1, 2)):
            with Session(oracle=lambda _: wrong) as session:
                with self.subTest(wrong), self.assertRaises(TypeError):
                    session.schedule(REQUEST + HOST_ORACLE)

    def test_what_callbacks_raise(self) -> None:
        class Mine(BaseException):
            pass

        def throwing(*_arguments: Any) -> Any:
            raise kind("from the callback")

        for kind in (ValueError, KeyboardInterrupt, SystemExit, GeneratorExit, Mine):
            for name in ("log", "progress", "oracle"):
                with self.subTest(kind=kind, callback=name):
                    session = Session(**{name: throwing})
                    request = REQUEST + (HOST_ORACLE if name == "oracle" else b"")
                    error = self.raised(kind, session.schedule, request)
                    self.assertEqual(("from the callback",), error.args)
                    frames = traceback.extract_tb(error.__traceback__)
                    self.assertEqual("throwing", frames[-1].name)
                    self.assertIsNone(torqsched._here.call)

    def test_an_exception_is_the_last_call_back(self) -> None:
        seen: List[str] = []

        def note(name: str) -> Any:
            seen.append(name)
            if len(seen) == 3:
                raise LookupError(name)
            return oracle(REQUEST) if name == "oracle" else None

        session = Session(
            log=lambda *_: note("log"),
            progress=lambda _: note("progress"),
            oracle=lambda _: note("oracle"),
        )
        with self.assertRaises(LookupError):
            session.schedule(REQUEST + HOST_ORACLE)
        self.assertEqual(3, len(seen))

    def test_an_error_that_a_callback_raises_is_that_error(self) -> None:
        def ask(request: bytes) -> bytes:
            return torqsched.simulate(request + b"\x07")  # fails

        with Session(oracle=ask) as session:
            with self.fails(Code.INVALID_ARGUMENT, "SimulateRequest"):
                session.schedule(REQUEST + HOST_ORACLE)

    def test_calls_from_callbacks(self) -> None:
        refused: List[Error] = []

        def ask(request: bytes) -> bytes:
            for name in CALLS:
                try:
                    getattr(session, name)(REQUEST)
                except Error as error:
                    refused.append(error)
            with Session(oracle=oracle) as inner:
                inner.schedule(REQUEST + HOST_ORACLE)
            return oracle(request)

        session = Session(oracle=ask, progress=lambda _: False)
        for _ in range(2):
            self.assertEqual(250, fields(session.schedule(REQUEST + HOST_ORACLE)).number(8))
        self.assertTrue(refused)
        self.assertEqual({Code.FAILED_PRECONDITION}, {error.code for error in refused})
        self.assertEqual(0, len(refused) % len(CALLS))

    def test_limits(self) -> None:
        with Session(memory_limit_bytes=1000) as session:
            with self.fails(Code.RESOURCE_EXHAUSTED, "1000"):
                session.schedule(REQUEST)
        with self.fails(Code.INVALID_ARGUMENT, "worker_threads"):
            Session(worker_threads=100000)
        for wrong in ({"memory_limit_bytes": -1}, {"memory_limit_bytes": 1 << 64},
                      {"worker_threads": -1}, {"worker_threads": 1 << 32}):  # fmt: skip
            with self.subTest(wrong), self.assertRaises(ValueError):
                Session(**wrong)
        for wrong in ({"log": 5}, {"progress": "x"}, {"oracle": b""}, {"memory_limit_bytes": "1"},
                      {"worker_threads": 1.5}):  # fmt: skip
            with self.subTest(wrong), self.assertRaises(TypeError):
                Session(**wrong)
        with Session(memory_limit_bytes=1 << 30, worker_threads=3, reuse_arenas=True) as session:
            self.assertEqual(torqsched.schedule(REQUEST), session.schedule(REQUEST))

    def test_closing(self) -> None:
        session = Session()
        session.close()
        session.close()
        for use in (lambda: session.schedule(REQUEST), lambda: session.verify(b"")):
            with self.fails(Code.FAILED_PRECONDITION, "closed"):
                use()
        with session:
            pass
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaises(TypeError):
                copied(Session())

    def test_closing_from_a_callback(self) -> None:
        session = Session(progress=lambda _: session.close())
        self.assertEqual(torqsched.schedule(REQUEST), session.schedule(REQUEST))
        self.assertIsNone(session._handle)
        with self.fails(Code.FAILED_PRECONDITION, "closed"):
            session.schedule(REQUEST)

    def test_closing_from_another_thread(self) -> None:
        inside, closed = threading.Event(), threading.Event()

        def wait(_progress: torqsched.Progress) -> None:
            inside.set()
            self.assertTrue(closed.wait(60))

        session = Session(progress=wait)
        answers: List[bytes] = []
        thread = threading.Thread(target=lambda: answers.append(session.schedule(REQUEST)))
        thread.start()
        self.assertTrue(inside.wait(60))
        handle = weakref.ref(session._handle)
        session.close()
        self.assertIsNotNone(handle())  # the call needs it
        closed.set()
        thread.join()
        self.assertEqual([torqsched.schedule(REQUEST)], answers)
        self.assertIsNone(handle())

    def test_garbage(self) -> None:
        library = torqsched.load()
        freed: List[int] = []
        free, library._session_free = library._session_free, lambda handle: freed.append(handle)
        gc.disable()
        try:
            # Only the call itself holds the session and its callbacks, and they collect garbage.
            Session(progress=lambda _: gc.collect() < 0).schedule(REQUEST)
            self.assertEqual(1, len(freed))
            session = Session(progress=lambda _: 1 / 0)
            with contextlib.suppress(ZeroDivisionError):
                session.schedule(REQUEST)
            alive = weakref.ref(session)
            del session
            self.assertIsNone(alive())  # no rings: it went without the collector
            self.assertEqual(2, len(freed))
        finally:
            gc.enable()
            library._session_free = free
            for handle in freed:
                free(handle)

    def test_threads(self) -> None:
        told = [0]

        def count(_progress: torqsched.Progress) -> None:
            told[0] += 1

        session = Session(progress=count, oracle=oracle, reuse_arenas=True)
        expected = session.schedule(REQUEST + HOST_ORACLE)
        failures: List[Any] = []

        def work() -> None:
            for _ in range(200):
                if session.schedule(REQUEST + HOST_ORACLE) != expected:
                    failures.append("other bytes")
                try:
                    session.schedule(b"bad")
                    failures.append("no error")
                except Error as error:
                    if error.code is not Code.INVALID_ARGUMENT:
                        failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], failures)
        self.assertGreater(told[0], 1600)

    def test_exceptions_stay_in_their_thread(self) -> None:
        def throw(_progress: torqsched.Progress) -> None:
            time.sleep(0)
            raise LookupError(threading.get_ident())

        session = Session(progress=throw)
        failures: List[Any] = []

        def work() -> None:
            for _ in range(200):
                try:
                    session.schedule(REQUEST)
                    failures.append("no error")
                except LookupError as error:
                    if error.args != (threading.get_ident(),):
                        failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], failures)


if __name__ == "__main__":
    unittest.main()
