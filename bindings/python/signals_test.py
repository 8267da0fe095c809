"""Tests of torqsched.py under signals, exceptions from outside and fork. Run as torqsched_test.py."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
import traceback
import unittest
import warnings
from typing import Any, List

import torqsched
from torqsched import Code, Error, Session, field, fields
from torqsched_test import Case, HOST_ORACLE, REQUEST, STREAMS, oracle, slow_request


def in_a_while(seconds: float, act: Any, *arguments: Any) -> None:
    """Does something in another thread. Where that raises in this one, call it where it may."""
    timer = threading.Timer(seconds, act, arguments)
    timer.daemon = True
    timer.start()


class InterruptTest(Case):
    def setUp(self) -> None:
        super().setUp()  # a shell in the background ignores the signal, and so would this process
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def test_ctrl_c_while_the_library_works(self) -> None:
        request = slow_request()
        for options in ({}, {"progress": lambda _: False}, {"log": lambda *_: None}):
            for seconds in (0.05, 0.2):
                with self.subTest(options=list(options), seconds=seconds):
                    session = Session(**options)
                    begin = time.monotonic()
                    with self.assertRaises(KeyboardInterrupt):
                        in_a_while(seconds, os.kill, os.getpid(), signal.SIGINT)
                        session.schedule(request)
                    self.assertLess(time.monotonic() - begin, 60)
                    self.assertIs(signal.default_int_handler, signal.getsignal(signal.SIGINT))

    def test_ctrl_c_in_a_callback(self) -> None:
        def wait(*_arguments: Any) -> Any:
            if threading.current_thread() is threading.main_thread():
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(6000):
                    time.sleep(0.01)
            return b""

        for name in ("log", "progress", "oracle"):
            with self.subTest(name):
                session = Session(**{name: wait})
                begin = time.monotonic()
                request = REQUEST + (HOST_ORACLE if name == "oracle" else b"")
                error = self.raised(KeyboardInterrupt, session.schedule, request)
                self.assertLess(time.monotonic() - begin, 50)
                frames = traceback.extract_tb(error.__traceback__)
                self.assertIn("wait", [frame.name for frame in frames])

    def test_ctrl_c_in_a_call_within_a_callback(self) -> None:
        request, inner = slow_request(), Session()

        def ask(_request: bytes) -> bytes:
            inner.schedule(request)
            return b""

        session = Session(oracle=ask)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            in_a_while(0.2, os.kill, os.getpid(), signal.SIGINT)
            session.schedule(REQUEST + HOST_ORACLE)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertIs(signal.default_int_handler, signal.getsignal(signal.SIGINT))

    def test_many_interrupts(self) -> None:
        request, session = slow_request(), Session(progress=lambda _: time.sleep(0.001))
        for _ in range(20):
            with self.assertRaises(KeyboardInterrupt):
                in_a_while(0.02, os.kill, os.getpid(), signal.SIGINT)
                session.schedule(request)

    def test_the_hosts_own_handler_is_left_alone(self) -> None:
        received: List[int] = []
        signal.signal(signal.SIGINT, lambda number, _frame: received.append(number))
        mine = signal.getsignal(signal.SIGINT)
        session = Session(progress=lambda _: bool(received))
        in_a_while(0.1, os.kill, os.getpid(), signal.SIGINT)
        self.assertEqual(1, fields(session.schedule(slow_request())).number(23))
        self.assertIs(mine, signal.getsignal(signal.SIGINT))
        self.assertEqual([signal.SIGINT], received)

    def test_a_handler_that_a_callback_makes_stays(self) -> None:
        def own(*_arguments: Any) -> None:
            pass

        Session(progress=lambda _: signal.signal(signal.SIGINT, own) is None).schedule(REQUEST)
        self.assertIs(own, signal.getsignal(signal.SIGINT))


class HandlerTest(Case):
    """What handlers of the host raise, mostly before the first instruction of a callback."""

    def setUp(self) -> None:
        super().setUp()

        def throw(number: int, _frame: Any) -> None:
            raise TimeoutError(number)

        for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGINT):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
            signal.signal(number, throw)
        self.hook = sys.unraisablehook
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

    def tearDown(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.assertIs(self.hook, sys.unraisablehook)
        self.assertIsNone(torqsched._here.call)
        super().tearDown()

    def test_one_signal(self) -> None:
        for number in (signal.SIGALRM, signal.SIGINT):
            for options in ({}, {"progress": lambda _: False}, {"log": lambda *_: None}):
                with self.subTest(number=number, options=list(options)):
                    with self.assertRaises(TimeoutError):
                        in_a_while(0.1, os.kill, os.getpid(), number)
                        Session(**options).schedule(slow_request())

    def test_two_signals_at_once(self) -> None:
        for _ in range(10):
            with contextlib.suppress(TimeoutError):  # the second, where it comes after the call
                with self.assertRaises(TimeoutError):
                    in_a_while(0.03, self.kill_twice)
                    Session().schedule(slow_request())
                time.sleep(0.1)

    def kill_twice(self) -> None:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

    def test_no_wrong_answer(self) -> None:
        request = (STREAMS / "resnet50-int8.first20-over50.binpb").read_bytes() + HOST_ORACLE
        session = Session(oracle=lambda _: field(1, True) + field(3, 900_000))
        begin = time.monotonic()
        expected = session.schedule(request)
        took = time.monotonic() - begin
        outcomes = [0, 0]
        for step in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, took * (step + 1) / 200)
                answer = session.schedule(request)
                signal.setitimer(signal.ITIMER_REAL, 0)
                self.assertEqual(expected, answer)
                outcomes[0] += 1
            except TimeoutError:
                outcomes[1] += 1
        self.assertGreater(outcomes[1], 0)

    def test_another_hook_was_put_in_place(self) -> None:
        taken: List[Any] = []

        def progress(_progress: torqsched.Progress) -> None:
            if sys.unraisablehook != taken.append:
                self.ours, sys.unraisablehook = sys.unraisablehook, taken.append
                in_a_while(0.1, os.kill, os.getpid(), signal.SIGALRM)

        try:
            Session(progress=progress).schedule(slow_request())
        except Error as error:  # the exception is with the other hook; no answer is trusted
            self.assertIs(Code.UNKNOWN, error.code)
            self.assertIs(TimeoutError, taken[0].exc_type)
        except TimeoutError:  # it came in the callback itself
            pass
        else:
            self.fail("an answer")
        self.assertEqual(taken.append, sys.unraisablehook)
        sys.unraisablehook = self.ours  # as a context manager would: the next call takes it away
        Session().schedule(REQUEST)

    def test_a_call_within_a_callback(self) -> None:
        caught: List[Any] = []

        def ask(request: bytes) -> bytes:
            if not caught:
                with self.assertRaises(TimeoutError):
                    in_a_while(0.1, os.kill, os.getpid(), signal.SIGALRM)
                    Session().schedule(slow_request())
                caught.append(sys.unraisablehook)
            return oracle(request)

        with Session(oracle=ask) as session:
            self.assertEqual(250, fields(session.schedule(REQUEST + HOST_ORACLE)).number(8))
        self.assertIsNot(self.hook, caught[0])

    def test_what_a_callback_drops_is_the_hosts(self) -> None:
        class Bad:
            def __del__(self) -> None:
                raise LookupError

        def progress(_progress: torqsched.Progress) -> None:
            before = len(self.lost)
            Bad()
            self.assertEqual(before + 1, len(self.lost))

        Session(progress=progress).schedule(REQUEST)
        self.assertEqual({LookupError}, {lost.exc_type for lost in self.lost})
        self.lost.clear()

    def test_exceptions_of_other_threads(self) -> None:
        ended: List[Any] = []

        def work() -> None:
            try:
                Session().schedule(slow_request())
            except BaseException as error:
                ended.append(type(error))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        throw = ctypes.pythonapi.PyThreadState_SetAsyncExc
        for thread in threads:
            throw(ctypes.c_ulong(thread.ident), ctypes.py_object(LookupError))
        for thread in threads:
            thread.join()
        self.assertEqual([LookupError] * 3, ended)


@unittest.skipUnless(hasattr(os, "fork"), "no fork")
class ForkTest(Case):
    def child(self, work: Any) -> int:
        """What becomes of a child process: its exit status, or the signal that ended it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # from Python 3.12 on: there are other threads
            child = os.fork()
        if child == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(30)
            try:
                os._exit(0 if work() else 1)
            finally:
                os._exit(2)
        return os.waitpid(child, 0)[1]

    def test_other_threads_use_the_session(self) -> None:
        session, stop = Session(progress=lambda _: False, reuse_arenas=True), threading.Event()

        def work() -> None:
            while not stop.is_set():
                session.schedule(REQUEST)

        expected = session.schedule(REQUEST)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(60):
                self.assertEqual(0, self.child(lambda: session.schedule(REQUEST) == expected))
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def test_what_other_threads_held(self) -> None:
        hook, stop, inside = sys.unraisablehook, threading.Event(), threading.Event()

        session, lock = Session(), type(threading.RLock())
        held = [*vars(torqsched).values(), *vars(session).values()]

        def work() -> None:
            with contextlib.ExitStack() as stack:
                for one in held:
                    if isinstance(one, lock):
                        stack.enter_context(one)
                inside.set()
                stop.wait(60)

        thread = threading.Thread(target=work)
        thread.start()
        inside.wait(60)
        status = self.child(lambda: torqsched.load() and session.schedule(REQUEST))
        stop.set()
        thread.join()
        self.assertEqual(0, status)

        slow = threading.Thread(target=lambda: Session(progress=wait).schedule(REQUEST))

        def wait(_progress: torqsched.Progress) -> bool:
            inside.set()
            return not stop.wait(60)

        inside.clear()
        stop.clear()
        slow.start()
        inside.wait(60)
        self.assertIsNot(hook, sys.unraisablehook)
        self.assertEqual(0, self.child(lambda: sys.unraisablehook is hook))
        stop.set()
        slow.join()
        self.assertIs(hook, sys.unraisablehook)


if __name__ == "__main__":
    unittest.main()
