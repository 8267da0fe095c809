"""Microseconds that a call takes by itself: on a stream without ops, the best of several rounds.

    python3 overhead.py [LIBRARY [CALLS]]

Compare with tests/hosts/overhead.c and overhead.cc, which print the same lines.
"""

import sys
import timeit
from typing import Callable

import torqsched

EMPTY = b"\x0a\x00"  # field 1, the stream, without a field of its own


def measure(name: str, calls: int, call: Callable[[], object]) -> None:
    best = min(timeit.repeat(call, number=calls, repeat=5)) / calls
    print(f"python  {name:<34}{best * 1e6:8.2f} us")


def main() -> None:
    torqsched.load(sys.argv[1] if len(sys.argv) > 1 else None)
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    for function in (torqsched.simulate, torqsched.schedule):
        measure(f"{function.__name__}, no session", calls, lambda: function(EMPTY))
    with torqsched.Session(reuse_arenas=True) as session:
        measure("simulate, session", calls, lambda: session.simulate(EMPTY))
        measure("schedule, session", calls, lambda: session.schedule(EMPTY))
    with torqsched.Session(reuse_arenas=True, progress=lambda _: False) as session:
        measure("schedule, session with progress", calls, lambda: session.schedule(EMPTY))
    request = bytearray(EMPTY)
    measure("simulate, no session, bytearray", calls, lambda: torqsched.simulate(request))


if __name__ == "__main__":
    main()
