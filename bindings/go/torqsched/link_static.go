//go:build !torqsched_pkgconfig

package torqsched

// The archive by its full name: -ltorqsched would take a shared library that is installed for
// linking, which the program would then have to find again when it runs. -lstdc++ -lm -lpthread are what the
// archive needs. Where it and the header lie is left to the environment.

// #cgo LDFLAGS: -l:libtorqsched.a -lstdc++ -lm -lpthread
import "C"
