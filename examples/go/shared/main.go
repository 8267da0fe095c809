// A shared object with the library inside, and one function for a host in C: host/main.c loads it.
//
//	export CGO_CFLAGS="-I$PWD/sdk/include"
//	export CGO_LDFLAGS="-L$PWD/sdk/lib -Wl,--exclude-libs,libtorqsched.a"
//	(cd examples/go && go build -buildmode=c-shared -o ../../sdk/libtorqsched_example.so ./shared)
//
// The last flag keeps the library's functions out of what the object exports.
package main

import "C"

import (
	"context"
	"errors"
	"unsafe"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire"
)

// What a serialized torqsched.v1.ScheduleRequest takes before and after, cycles: two numbers, which
// are written where 0 is given. Gives the number of a torqsched_code otherwise, and -1 where the
// request is not placed.
//
//export example_makespans
func example_makespans(request unsafe.Pointer, size C.size_t, makespans *uint64) int32 {
	const inputMakespan, allocatedMakespan, bar = 9, 8, 14
	var session *torqsched.Session
	response, err := session.Schedule(context.Background(), unsafe.Slice((*byte)(request), int(size)))
	var failure *torqsched.Error
	if errors.As(err, &failure) {
		return int32(failure.Code)
	}
	before, comparable, _ := wire.Uint(response, bar) // with its swaps, where it needs any
	if !comparable {
		before, _, _ = wire.Uint(response, inputMakespan) // the input order cannot be placed
	}
	after, placed, err := wire.Uint(response, allocatedMakespan)
	if err != nil || !placed {
		return -1
	}
	copy(unsafe.Slice(makespans, 2), []uint64{before, after})
	return 0
}

func main() {}
