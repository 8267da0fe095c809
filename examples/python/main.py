"""Schedules a stream with an allocator of its own, cancels a call, and is told of bad bytes.

    export PYTHONPATH=bindings/python TORQSCHED_LIBRARY=sdk/lib/libtorqsched.so.0.1
    python3 examples/python/main.py sdk/share/torqsched/streams/worked-example-1.binpb

With the distribution in sdk; the file is a serialized torqsched.v1.ScheduleRequest. Fields are
written and read by number here; with the protobuf package they have their names.
"""

import sys
from pathlib import Path
from typing import List, Union

import torqsched
from torqsched import Fields, Progress, field, fields

ORACLE_HOST = 2


def place(request: bytes) -> bytes:
    """An oracle: OracleRequest to OracleResponse. Places whatever fits in LRAM by its sum of bytes,
    as if there were no gaps; a real one would ask the compiler's own allocator."""
    # Fields 1 to 5 (stream, hardware, order, starts, slices) are those of a SimulateRequest too.
    # Its field 6 asks for a timeline: no.
    price = fields(torqsched.simulate(request + field(6, False)))
    hardware = fields(fields(request).message(2))  # lram_bytes, lram_reserved_bytes
    fits = price.number(2) <= hardware.number(2) - hardware.number(3)  # peak_live_bytes
    return field(1, fits) + (field(3, price.number(1)) if fits else b"")  # placed, makespan


def cycles(response: Fields) -> str:
    """ "410 cycles in the input order, 250 as scheduled", of a ScheduleResponse."""
    placed = 8 in response  # allocated_makespan, with its swaps
    after = f"{response.number(8)} as scheduled" if placed else "not placed"
    if 14 in response:  # bar
        return f"{response.number(14)} cycles in the input order, {after}"
    # The input order cannot be placed: it has but an input_makespan, without swaps.
    return f"{response.number(9)} cycles in the input order (not placed), {after}"


def run(request: bytes) -> None:
    # Messages that stand one after the other are merged: this sets options.oracle.
    request += field(3, field(2, ORACLE_HOST))

    asked: List[bytes] = []
    told: List[Progress] = []

    def oracle(oracle_request: bytes) -> bytes:
        asked.append(oracle_request)
        return place(oracle_request)

    with torqsched.Session(progress=told.append, oracle=oracle) as session:
        response = fields(session.schedule(request))
        name = fields(fields(request).message(1)).text(1)
        bound = fields(response.message(15)).number(1)
        print(f"{name}: {cycles(response)}, lower bound {bound}")
        print(f"oracle asked {len(asked)} times, progress told {len(told)} times")

    with torqsched.Session(progress=lambda progress: True, oracle=place) as session:
        try:
            session.schedule(request)
        except torqsched.Error as error:
            print(f"cancelled: {error}")

    try:
        torqsched.schedule(b"no ScheduleRequest")
    except torqsched.Error as error:
        print(f"bad bytes: {error}")


def main() -> Union[int, str]:
    usage = f"usage: {sys.argv[0]} REQUEST.binpb"
    if len(sys.argv) != 2:
        print(usage, file=sys.stderr)
        return 2
    try:
        request = Path(sys.argv[1]).read_bytes()
    except OSError as error:
        print(f"{error.filename}: {error.strerror}; {usage}", file=sys.stderr)
        return 2
    try:
        run(request)
    except torqsched.Error as error:
        return str(error)  # to standard error; the status is 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
