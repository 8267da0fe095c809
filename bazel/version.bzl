"""The library's version; include/torqsched/torqsched.h has the same, and a test compares them."""

VERSION = "0.1.0"

# Before 1.0.0 each minor version has an interface of its own (see torqsched_check_abi).
SONAME = "libtorqsched.so.0.1"
