package torqsched

// #include "shim.h"
import "C"

import (
	"fmt"
	"sync"
)

// Version is the library's version, such as "0.1.0".
func Version() string { return C.GoString(C.torqsched_version()) }

// ABIVersion is the version of the library's interface: major * 1000 + minor.
func ABIVersion() uint32 { return uint32(C.torqsched_abi_version()) }

var abi struct {
	once sync.Once
	err  error
}

// checkABI says whether the library serves the header that this package was compiled with. They may
// differ where the library is shared.
func checkABI() error {
	abi.once.Do(func() {
		if code := C.torqsched_check_abi(C.TORQSCHED_ABI_VERSION); code != C.TORQSCHED_OK {
			abi.err = &Error{Code: Code(code), Message: fmt.Sprintf(
				"libtorqsched %s has interface version %d; compiled with a header of version %d",
				Version(), ABIVersion(), uint32(C.TORQSCHED_ABI_VERSION))}
		}
	})
	return abi.err
}
