"""External dependencies: from the network, or from Debian packages.

TORQSCHED_DEPS=debian (set in .bazelrc by --repo_env) takes everything from
/usr; anything else downloads the pinned archives (untried, see
docs/dependencies.md). A sha256 stands only where Debian's source archive is the
upstream archive itself.
"""

_RULES = "/usr/share/bazel/rules"
_PC = "/usr/lib/x86_64-linux-gnu/pkgconfig"
_LIB = "/usr/lib/x86_64-linux-gnu"

def _is_debian(ctx):
    if ctx.os.environ.get("TORQSCHED_DEPS", "") != "debian":
        return False
    if not ctx.path(_LIB).exists:  # where things lie in /usr is known for one machine only
        fail("TORQSCHED_DEPS=debian is for Debian on amd64: there is no %s here" % _LIB)
    return True

def _download(ctx):
    ctx.download_and_extract(
        url = ctx.attr.urls,
        sha256 = ctx.attr.sha256,
        stripPrefix = ctx.attr.strip_prefix,
    )

_ARCHIVE_ATTRS = {
    "urls": attr.string_list(mandatory = True),
    "sha256": attr.string(),
    "strip_prefix": attr.string(),
}

def _bazel_rules_impl(ctx):
    """A repository that Debian ships as a whole Bazel repository."""
    if not _is_debian(ctx):
        _download(ctx)
        return
    ctx.execute(["cp", "-rL", ctx.attr.debian_path + "/.", "."])
    for cmd in ctx.attr.debian_patch_cmds:
        result = ctx.execute(["sh", "-ec", cmd])
        if result.return_code:
            fail(result.stderr)

bazel_rules = repository_rule(
    implementation = _bazel_rules_impl,
    attrs = dict(
        _ARCHIVE_ATTRS,
        debian_path = attr.string(mandatory = True),
        debian_patch_cmds = attr.string_list(),
    ),
    environ = ["TORQSCHED_DEPS"],
)

def _runtime_alias(name, debian, private):
    """A library of Debian's package, or in the archive the one that is built here from source."""
    return "alias(name = %r, actual = select({'@libtorqsched//bazel:private_runtime': %r, '//conditions:default': %r}))" % (
        name,
        private,
        debian,
    )

def _pc_requires(ctx, module):
    text = ctx.read(_PC + "/" + module + ".pc")
    for line in text.split("\n"):
        if line.startswith("Requires:"):
            line = line[len("Requires:"):]
            return [r.strip().split(" ")[0] for r in line.split(",") if r.strip()]
    return []

def _absl_impl(ctx):
    if not _is_debian(ctx):
        _download(ctx)
        return
    ctx.symlink("/usr/include/absl", "include/absl")
    modules = [
        p.basename[:-len(".pc")]
        for p in ctx.path(_PC).readdir()
        if p.basename.startswith("absl_") and p.basename.endswith(".pc")
    ]
    build = [
        "package(default_visibility = ['//visibility:public'])",
        "cc_library(name = 'headers', hdrs = glob(['include/absl/**']), includes = ['include'], linkopts = ['-pthread'])",
    ]
    for m in modules:
        deps = [":headers"] + [":" + r for r in _pc_requires(ctx, m)]
        archive = _LIB + "/lib" + m + ".a"
        srcs = []
        if ctx.path(archive).exists:
            ctx.symlink(archive, "lib/lib" + m + ".a")
            srcs = ["lib/lib" + m + ".a"]
        build.append("cc_library(name = %r, srcs = %r, deps = %r, linkstatic = True)" % (m, srcs, deps))
    ctx.file("BUILD.bazel", "\n".join(build) + "\n")
    for package, targets in ctx.attr.targets.items():
        lines = ["package(default_visibility = ['//visibility:public'])"]
        for t in targets:
            # Debian's module for absl/flags:flag, :parse and :usage carries the package in its name.
            module = "flags_" + t if package == "absl/flags" and t != "flag" else t
            module = "flags" if t == "flag" else module
            lines.append(_runtime_alias(t, "//:absl_" + module, "@absl_source//:absl"))
        ctx.file(package + "/BUILD.bazel", "\n".join(lines) + "\n")

absl_repository = repository_rule(
    implementation = _absl_impl,
    attrs = dict(_ARCHIVE_ATTRS, targets = attr.string_list_dict()),
    environ = ["TORQSCHED_DEPS"],
)

_PROTOBUF_BUILD = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "headers", hdrs = glob(["include/google/protobuf/**"]), includes = ["include"], linkopts = ["-pthread"])
cc_library(name = "protobuf_full", srcs = ["lib/libprotobuf.a"], deps = [":headers"], linkopts = ["-lz"], linkstatic = True)
sh_binary(name = "protoc", srcs = ["protoc.sh"])
proto_lang_toolchain(name = "cc_toolchain", command_line = "--cpp_out=$(OUT)", runtime = ":protobuf")
proto_lang_toolchain(name = "cc_toolchain_lite", command_line = "--cpp_out=lite:$(OUT)", runtime = ":protobuf")
proto_library(name = "empty_proto")
"""

def _protobuf_impl(ctx):
    if not _is_debian(ctx):
        _download(ctx)
        return
    ctx.symlink("/usr/include/google", "include/google")
    ctx.symlink(_LIB + "/libprotobuf.a", "lib/libprotobuf.a")
    ctx.file("protoc.sh", "#!/bin/sh\nexec /usr/bin/protoc \"$@\"\n", executable = True)
    protobuf = _runtime_alias("protobuf", ":protobuf_full", "@protobuf_source//:protobuf_lite")
    ctx.file("BUILD.bazel", _PROTOBUF_BUILD + protobuf + "\n")

protobuf_repository = repository_rule(
    implementation = _protobuf_impl,
    attrs = _ARCHIVE_ATTRS,
    environ = ["TORQSCHED_DEPS"],
)

def _debian_source_impl(ctx):
    """The source of a Debian package, fetched when something in the archive asks for it."""
    script = ctx.path(Label("//bazel:fetch_debian_source.sh"))
    result = ctx.execute(["sh", script, ctx.attr.source_package, ctx.attr.binary_package])
    if result.return_code:
        fail(result.stderr)
    no_packages = "find . -type f '(' -name 'BUILD*' -o -name WORKSPACE ')' -delete"
    for command in [no_packages] + ctx.attr.patch_cmds:
        result = ctx.execute(["sh", "-ec", command])
        if result.return_code:
            fail(result.stderr)
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

debian_source = repository_rule(
    implementation = _debian_source_impl,
    attrs = {
        "binary_package": attr.string(mandatory = True),
        "build_file": attr.label(mandatory = True),
        "patch_cmds": attr.string_list(),
        "source_package": attr.string(mandatory = True),
    },
)

_GTEST_BUILD = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "gtest", srcs = ["lib/libgtest.a", "lib/libgmock.a"], hdrs = glob(["include/gtest/**", "include/gmock/**"]), includes = ["include"], linkopts = ["-pthread"], linkstatic = True)
cc_library(name = "gtest_main", srcs = ["lib/libgtest_main.a"], deps = [":gtest"], linkstatic = True)
"""

def _gtest_impl(ctx):
    if not _is_debian(ctx):
        _download(ctx)
        return
    ctx.symlink("/usr/include/gtest", "include/gtest")
    ctx.symlink("/usr/include/gmock", "include/gmock")
    for n in ["gtest", "gtest_main", "gmock"]:
        ctx.symlink(_LIB + "/lib" + n + ".a", "lib/lib" + n + ".a")
    ctx.file("BUILD.bazel", _GTEST_BUILD)

gtest_repository = repository_rule(
    implementation = _gtest_impl,
    attrs = _ARCHIVE_ATTRS,
    environ = ["TORQSCHED_DEPS"],
)

_BENCHMARK_BUILD = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "benchmark", srcs = ["lib/libbenchmark.so"], hdrs = glob(["include/benchmark/**"]), includes = ["include"], linkopts = ["-pthread"], linkstatic = True)
cc_library(name = "benchmark_main", srcs = ["lib/libbenchmark_main.a"], deps = [":benchmark"], linkstatic = True)
"""

def _benchmark_impl(ctx):
    if not _is_debian(ctx):
        _download(ctx)
        return
    ctx.symlink("/usr/include/benchmark", "include/benchmark")
    for n in ["libbenchmark.so", "libbenchmark_main.a"]:  # Debian ships no static libbenchmark
        ctx.symlink(_LIB + "/" + n, "lib/" + n)
    ctx.file("BUILD.bazel", _BENCHMARK_BUILD)

benchmark_repository = repository_rule(
    implementation = _benchmark_impl,
    attrs = _ARCHIVE_ATTRS,
    environ = ["TORQSCHED_DEPS"],
)

def _coverage_tools_impl(ctx):
    if not _is_debian(ctx):
        _download(ctx)
        return

    # bazel test needs these two labels to exist; only bazel coverage runs them.
    ctx.file("BUILD.bazel", "\n".join([
        "package(default_visibility = ['//visibility:public'])",
        "filegroup(name = 'coverage_report_generator')",
        "filegroup(name = 'lcov_merger')",
        "",
    ]))

coverage_tools_repository = repository_rule(
    implementation = _coverage_tools_impl,
    attrs = _ARCHIVE_ATTRS,
    environ = ["TORQSCHED_DEPS"],
)

# Nothing in the archive uses std::cout and its like, but each file that includes <iostream> would
# carry a constructor that sets them up in the host.
_NO_IOSTREAM = [
    "grep -rl '#include <iostream>' --include=*.h --include=*.cc absl src 2>/dev/null | " +
    "xargs -r sed -i 's/#include <iostream>/#include <istream>\\n#include <ostream>/'",
]

# What ShutdownProtobufLibrary would free need not be remembered where nobody can call it: the list
# would be lost memory after each dlclose of the library.
_NO_SHUTDOWN_LIST = [
    "sed -i '/^void OnShutdownRun(/,/^}/c void OnShutdownRun(void (*)(const void*), const void*) {}' " +
    "src/google/protobuf/message_lite.cc",
    "grep -q '^void OnShutdownRun(void (\\*)(const void\\*), const void\\*) {}$' " +
    "src/google/protobuf/message_lite.cc",
]

def torqsched_dependencies():
    coverage_tools_repository(
        name = "remote_coverage_tools",
        sha256 = "cd14f1cb4559e4723e63b7e7b06d09fcc3bd7ba58d03f354cdff1439bd936a7d",
        urls = ["https://mirror.bazel.build/bazel_coverage_output_generator/releases/coverage_output_generator-v2.5.zip"],
    )
    bazel_rules(
        name = "rules_cc",
        debian_path = _RULES + "/cc",
        # Debian's rules_cc 0.0.4 needs use_cpp_toolchain, which its Bazel 4.2.3 lacks.
        debian_patch_cmds = [
            "sed -i 's/, \"use_cpp_toolchain\")/)/; " +
            "s#use_cpp_toolchain()#[\"@bazel_tools//tools/cpp:toolchain_type\"]#' " +
            "cc/private/rules_impl/*.bzl",
        ],
        strip_prefix = "rules_cc-0.0.4",
        urls = ["https://github.com/bazelbuild/rules_cc/releases/download/0.0.4/rules_cc-0.0.4.tar.gz"],
    )
    bazel_rules(
        name = "rules_java",
        debian_path = _RULES + "/java",
        urls = ["https://github.com/bazelbuild/rules_java/releases/download/5.1.0/rules_java-5.1.0.tar.gz"],
    )
    bazel_rules(
        name = "rules_proto",
        debian_path = _RULES + "/proto",
        strip_prefix = "rules_proto-4.0.0-3.20.0",
        urls = ["https://github.com/bazelbuild/rules_proto/archive/refs/tags/4.0.0-3.20.0.tar.gz"],
    )
    bazel_rules(
        name = "bazel_skylib",
        debian_path = "/usr/share/bazel/tools/skylib",
        urls = ["https://github.com/bazelbuild/bazel-skylib/releases/download/1.0.3/bazel-skylib-1.0.3.tar.gz"],
    )
    absl_repository(
        name = "com_google_absl",
        strip_prefix = "abseil-cpp-20220623.1",
        targets = {
            "absl/base": ["core_headers", "base"],
            "absl/container": ["flat_hash_map", "flat_hash_set", "btree", "inlined_vector"],
            "absl/flags": ["flag", "parse", "usage"],
            "absl/functional": ["function_ref"],
            "absl/numeric": ["bits", "int128"],
            "absl/status": ["status", "statusor"],
            "absl/strings": ["strings", "str_format"],
            "absl/synchronization": ["synchronization"],
            "absl/time": ["time"],
            "absl/types": ["span", "optional"],
        },
        urls = ["https://github.com/abseil/abseil-cpp/archive/refs/tags/20220623.1.tar.gz"],
    )
    protobuf_repository(
        name = "com_google_protobuf",
        strip_prefix = "protobuf-21.12",
        urls = ["https://github.com/protocolbuffers/protobuf/archive/refs/tags/v21.12.tar.gz"],
    )
    debian_source(
        name = "absl_source",
        binary_package = "libabsl-dev",
        build_file = "@libtorqsched//bazel:absl_source.BUILD",
        patch_cmds = _NO_IOSTREAM,
        source_package = "abseil",
    )
    debian_source(
        name = "protobuf_source",
        binary_package = "libprotobuf-dev",
        build_file = "@libtorqsched//bazel:protobuf_source.BUILD",
        patch_cmds = _NO_IOSTREAM + _NO_SHUTDOWN_LIST,
        source_package = "protobuf",
    )
    gtest_repository(
        name = "com_google_googletest",
        sha256 = "81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2",
        strip_prefix = "googletest-release-1.12.1",
        urls = ["https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz"],
    )
    benchmark_repository(
        name = "com_github_google_benchmark",
        sha256 = "6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7",
        strip_prefix = "benchmark-1.7.1",
        urls = ["https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz"],
    )
