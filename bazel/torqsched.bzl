"""torqsched_schedule and torqsched_sweep: the command line's calls as build actions.

A sweep is an action a point, on the declared table, chip and options and nothing else; a last action
merges the points into the table and the picture. So Bazel itself spreads a sweep over cores and,
with remote execution, over machines; repeats only the points whose inputs changed; and finds in its
disk or HTTP cache those that anybody computed before. docs/sweeps.md says more.
"""

_TOOL = {
    "_torqsched": attr.label(
        default = Label("//tools:torqsched"),
        cfg = "exec",
        executable = True,
    ),
}

# Endings of files of messages, as text, JSON or bytes.
_MESSAGES = [".txtpb", ".textproto", ".pbtxt", ".json", ".binpb", ".pb", ".bin"]

# What both rules know of the chip and of lowering.
_COMMON = {
    "hardware": attr.string(
        doc = "A profile. Unset: the stream's own chip, or sl2610.",
    ),
    "hardware_file": attr.label(
        allow_single_file = _MESSAGES,
        doc = "A chip of your own, a torqsched.v1.Hardware, instead of a profile.",
    ),
    "layers": attr.string(
        doc = "FIRST:COUNT: lower these layers of a table only.",
    ),
    "work_limit": attr.int(
        doc = "Nodes that a search of strategy optimize may visit. 0: the default.",
    ),
}

def _add_hardware(ctx, arguments):
    """Adds --hardware; returns the files that it takes."""
    if ctx.attr.hardware and ctx.file.hardware_file:
        fail("%s: hardware and hardware_file are both set; expected one of them" % ctx.label)
    if ctx.file.hardware_file:
        arguments.add("--hardware", ctx.file.hardware_file)
        return [ctx.file.hardware_file]
    if ctx.attr.hardware:
        arguments.add("--hardware", ctx.attr.hardware)
    return []

def _run(ctx, arguments, inputs, outputs, mnemonic, message):
    ctx.actions.run(
        arguments = [arguments],
        executable = ctx.executable._torqsched,
        inputs = inputs,
        mnemonic = mnemonic,
        outputs = outputs,
        progress_message = message,
    )

# ---- torqsched_schedule

# What the tool tells people goes to the file that is named first, not into everybody's build log;
# errors go to both.
_QUIETLY = """
told=$1
shift
"$@" 2>"$told" || {
  status=$?
  cat "$told" >&2
  exit $status
}
"""

def _run_quietly(ctx, arguments, inputs, outputs, told, mnemonic, message):
    begin = ctx.actions.args()
    begin.add(told)
    begin.add(ctx.executable._torqsched)
    ctx.actions.run_shell(
        arguments = [begin, arguments],
        command = _QUIETLY,
        inputs = inputs,
        mnemonic = mnemonic,
        outputs = outputs + [told],
        progress_message = message,
        tools = [ctx.executable._torqsched],
    )

def _lowered(ctx):
    """The stream of a table, an action of its own."""
    request = ctx.actions.declare_file(ctx.label.name + ".request.binpb")
    told = ctx.actions.declare_file(ctx.label.name + ".lowering.txt")
    arguments = ctx.actions.args()
    arguments.add("lower")
    arguments.add(ctx.file.table)
    arguments.add("-o", request)
    if ctx.attr.layers:
        arguments.add("--layers", ctx.attr.layers)
    for name in ["loop_percent", "contraction_percent", "resident_percent"]:
        percent = getattr(ctx.attr, name)
        if percent >= 0:
            arguments.add("--" + name.replace("_", "-"), percent)
    if ctx.attr.tune:
        arguments.add("--tune")
    if ctx.attr.trials:
        arguments.add("--trials", ctx.attr.trials)
    chip = _add_hardware(ctx, arguments)
    _run_quietly(
        ctx,
        arguments,
        [ctx.file.table] + chip,
        [request],
        told,
        "TorqschedLower",
        "Lowering %s" % ctx.label,
    )
    return [request, told]

def _torqsched_schedule_impl(ctx):
    if bool(ctx.file.stream) == bool(ctx.file.table):
        fail("%s: expected one of stream and table" % ctx.label)
    if ctx.file.stream:
        for name in ["layers", "tune", "trials"]:
            if getattr(ctx.attr, name):
                fail("%s: %s is of a table, not of a stream" % (ctx.label, name))
        for name in ["loop_percent", "contraction_percent", "resident_percent"]:
            if getattr(ctx.attr, name) >= 0:
                fail("%s: %s is of a table, not of a stream" % (ctx.label, name))
    lowered = [] if ctx.file.stream else _lowered(ctx)
    stream = ctx.file.stream or lowered[0]
    summary = ctx.actions.declare_file(ctx.label.name + ".summary.txt")
    response = ctx.actions.declare_file(ctx.label.name + ".response.binpb")
    timeline = ctx.actions.declare_file(ctx.label.name + ".svg")
    arguments = ctx.actions.args()
    arguments.add("schedule")
    arguments.add(stream)
    arguments.add("-o", response)
    arguments.add("--svg", timeline)
    if ctx.attr.strategy:
        arguments.add("--strategy", ctx.attr.strategy)
    if ctx.attr.oracle:
        arguments.add("--oracle", ctx.attr.oracle)
    if ctx.attr.work_limit:
        arguments.add("--work-limit", ctx.attr.work_limit)
    arguments.add_all(ctx.attr.options)

    # What was lowered for a chip carries it.
    chip = _add_hardware(ctx, arguments) if ctx.file.stream else []
    _run_quietly(
        ctx,
        arguments,
        [stream] + chip,
        [response, timeline],
        summary,
        "TorqschedSchedule",
        "Scheduling %s" % ctx.label,
    )
    outputs = [response, summary, timeline]
    return [
        DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(files = outputs)),
        OutputGroupInfo(
            request = depset(lowered),
            response = depset([response]),
            summary = depset([summary]),
            timeline = depset([timeline]),
        ),
    ]

torqsched_schedule = rule(
    implementation = _torqsched_schedule_impl,
    attrs = dict(
        _COMMON,
        contraction_percent = attr.int(default = -1, doc = "Of LRAM, for tiles of matrix products."),
        loop_percent = attr.int(default = -1, doc = "Of LRAM, for tiles."),
        options = attr.string_list(doc = "More options of 'torqsched schedule', as they are."),
        oracle = attr.string(doc = "sequential or offline."),
        resident_percent = attr.int(default = -1, doc = "Of LRAM, for activations that stay."),
        strategy = attr.string(doc = "none, stream-schedule or optimize."),
        stream = attr.label(
            allow_single_file = _MESSAGES,
            doc = "A ScheduleRequest or a Stream.",
        ),
        table = attr.label(
            allow_single_file = _MESSAGES,
            doc = "A layer table, to be lowered first.",
        ),
        trials = attr.int(doc = "Of tune, at most. 0: the default."),
        tune = attr.bool(doc = "Find budgets by what they earn."),
        **_TOOL
    ),
    doc = "NAME.response.binpb, NAME.summary.txt and NAME.svg of one stream, or of one table (then " +
          "also NAME.request.binpb and NAME.lowering.txt, in output group 'request').",
)

# ---- torqsched_sweep

def _point(ctx, table, budgets, strategy, oracle, lram):
    """One point of the grid: its file, made by an action of its own."""
    name = "%s.%s.%s.%s.%s" % (table.basename, budgets.replace(":", "-"), strategy, oracle, lram)
    point = ctx.actions.declare_file("%s/points/%s.json" % (ctx.label.name, name))
    arguments = ctx.actions.args()
    arguments.add("sweep")
    arguments.add(table)
    arguments.add("--point", point)
    arguments.add("--lram", lram)
    arguments.add("--budgets", budgets)
    arguments.add("--strategies", strategy)
    arguments.add("--oracles", oracle)
    if ctx.attr.layers:
        arguments.add("--layers", ctx.attr.layers)
    if ctx.attr.work_limit and strategy == "optimize":
        arguments.add("--work-limit", ctx.attr.work_limit)
    if ctx.attr.trials and budgets == "tuned":
        arguments.add("--trials", ctx.attr.trials)
    chip = _add_hardware(ctx, arguments)
    _run(ctx, arguments, [table] + chip, [point], "TorqschedPoint", "Sweeping %s: %s" % (ctx.label, name))
    return point

def _torqsched_sweep_impl(ctx):
    # The command line's order, which is the table's.
    points = [
        _point(ctx, table, budgets, strategy, oracle, lram)
        for table in ctx.files.tables
        for budgets in ctx.attr.budgets
        for strategy in ctx.attr.strategies
        for oracle in ctx.attr.oracles
        for lram in ctx.attr.lram
    ]
    outputs = [
        ctx.actions.declare_file("%s/sweep.%s" % (ctx.label.name, ending))
        for ending in ["csv", "json", "svg"]
    ]
    arguments = ctx.actions.args()
    arguments.add_all(["sweep", "--merge", "--quiet"])
    arguments.add("--out", outputs[0].dirname)
    arguments.add_all(points)
    _run(ctx, arguments, points, outputs, "TorqschedMerge", "Merging %s" % ctx.label)
    csv, json, svg = [depset([file]) for file in outputs]
    return [
        DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(files = outputs)),
        OutputGroupInfo(csv = csv, json = json, points = depset(points), svg = svg),
    ]

torqsched_sweep = rule(
    implementation = _torqsched_sweep_impl,
    attrs = dict(
        _COMMON,
        budgets = attr.string_list(
            default = ["50:40"],
            doc = "LOOP:CONTRACTION[:RESIDENT] in percent of LRAM, or tuned.",
        ),
        lram = attr.string_list(
            allow_empty = False,
            default = ["256KiB", "512KiB", "1MiB"],
            doc = "Sizes of LRAM, as the command line takes them.",
        ),
        oracles = attr.string_list(default = ["sequential"], doc = "sequential, offline."),
        strategies = attr.string_list(
            default = ["none", "stream_schedule"],
            doc = "none, stream_schedule, optimize.",
        ),
        tables = attr.label_list(
            allow_empty = False,
            allow_files = _MESSAGES,
            doc = "Layer tables, of different names.",
            mandatory = True,
        ),
        trials = attr.int(doc = "Of budgets tuned, at most. 0: the default."),
        **_TOOL
    ),
    doc = "NAME/sweep.csv, .json and .svg of a grid, byte by byte what the command line writes; " +
          "the points are in output group 'points'.",
)
