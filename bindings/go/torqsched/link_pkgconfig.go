//go:build torqsched_pkgconfig

package torqsched

// What torqsched.pc says: the archive, unless a libtorqsched.so is installed for linking. --static
// adds what the archive needs, wherever the file says it.

// #cgo pkg-config: --static torqsched
import "C"
