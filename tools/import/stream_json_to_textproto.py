#!/usr/bin/env python3
"""Turns a control stream in plain JSON into a torqsched.v1.ScheduleRequest in text format.

    stream_json_to_textproto.py STREAM.json[.gz] | torqsched convert - -o STREAM.txtpb

Reads a file ("-": standard input), gzip'd or not, and writes to standard output. The JSON is one
object; references are positions in the lists, counted from 0, and absent keys have the defaults of
the schema:

    name
    hardware   lram_bytes, reserved, align, slices, small, start_cycles, dma_bytes, dma_cycles
    options    cap_percent, prefetch_percent, urgent_starts, candidates
    buffers[]  name, space (lram | xram), size, align, fixed, live_in, live_out, constant
    ops[]      name, kind (pure | load | store | start | wait; anything else: barrier), cycles,
               slice, start, alloc, operands[],
               accesses[]: b (buffer), off, size, mode (r | w | rw)

Other keys are dropped. A chip whose numbers are those of a known profile is named by it.
"""

import gzip
import json
import sys

PROFILES = {
    "sl2610": {
        "lram_bytes": 524288,
        "lram_reserved_bytes": 1280,
        "alignment": 8,
        "slices": 2,
        "small_buffer_bytes": 8192,
        "start_cycles": 1,
        "dma_bytes": 832,
        "dma_cycles": 175,
    },
}
HARDWARE = {
    "lram_bytes": "lram_bytes",
    "reserved": "lram_reserved_bytes",
    "align": "alignment",
    "slices": "slices",
    "small": "small_buffer_bytes",
    "start_cycles": "start_cycles",
    "dma_bytes": "dma_bytes",
    "dma_cycles": "dma_cycles",
}
BUFFER = {
    "size": "size",
    "align": "alignment",
    "fixed": "fixed_offset",
    "live_in": "live_in",
    "live_out": "live_out",
    "constant": "constant",
}
KINDS = ("pure", "load", "store", "start", "wait")
MODES = {"r": "READ", "w": "WRITE", "rw": "READ_WRITE"}


def quoted(text):
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append("\\%03o" % byte)
    return '"%s"' % "".join(out)


def value(item):
    return {True: "true", False: "false"}[item] if isinstance(item, bool) else str(item)


def fields(source, names):
    """Text of the keys of source that are there, each under its name in the schema."""
    return ["%s: %s" % (name, value(source[key])) for key, name in names.items() if key in source]


def hardware(source):
    numbers = {name: source[key] for key, name in HARDWARE.items() if key in source}
    for profile, facts in PROFILES.items():
        if numbers == facts:
            return ["profile: %s" % quoted(profile)]
    # What the numbers leave out is the default profile's, but the clock is nobody's.
    return ["%s: %d" % item for item in numbers.items()] + ["clock_hz: 0"]


def buffer(source):
    out = ["name: %s" % quoted(source["name"])] if source.get("name") else []
    out.append("space: SPACE_%s" % source["space"].upper())
    return out + fields(source, BUFFER)


def access(source):
    out = ["buffer: %d" % source["b"]] if source["b"] else []
    if source.get("off"):
        out.append("offset: %d" % source["off"])
    if "size" in source:
        out.append("size: %d" % source["size"])
    return out + ["mode: ACCESS_MODE_%s" % MODES[source["mode"]]]


def op(source):
    kind = source["kind"] if source["kind"] in KINDS else "barrier"
    out = ["name: %s" % quoted(source["name"])] if source.get("name") else []
    out.append("kind: OP_KIND_%s" % kind.upper())
    if source.get("cycles"):
        out.append("cycles: %d" % source["cycles"])
    out += fields(source, {"slice": "slice", "start": "start", "alloc": "alloc"})
    if source.get("operands"):
        out.append("operands: [%s]" % ", ".join(map(str, source["operands"])))
    return out + ["accesses { %s }" % " ".join(access(a)) for a in source.get("accesses", [])]


def convert(source):
    yield "# proto-file: torqsched/v1/schedule.proto"
    yield "# proto-message: torqsched.v1.ScheduleRequest"
    yield "stream {"
    if source.get("name"):
        yield "  name: %s" % quoted(source["name"])
    for item in source.get("buffers", []):
        yield "  buffers { %s }" % " ".join(buffer(item))
    for item in source.get("ops", []):
        yield "  ops { %s }" % " ".join(op(item))
    yield "}"
    yield "hardware { %s }" % " ".join(hardware(source.get("hardware", {})))
    if source.get("options"):
        options = ["%s: %d" % item for item in source["options"].items()]
        yield "options { %s }" % " ".join(options)


def main(arguments):
    if len(arguments) != 2 or arguments[1] in ("-h", "--help"):
        sys.stderr.write(__doc__)
        return 2
    if arguments[1] == "-":
        data = sys.stdin.buffer.read()
    else:
        with open(arguments[1], "rb") as file:
            data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    source = json.loads(data)
    if "stream" in source:
        sys.stderr.write("this is a ScheduleRequest in JSON: torqsched reads it as it is\n")
        return 1
    for line in convert(source):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
