// Schedules a stream with an allocator of its own, cancels a call, and is told of bad bytes.
//
//	export CGO_CFLAGS="-I$PWD/sdk/include" CGO_LDFLAGS="-L$PWD/sdk/lib"
//	(cd examples/go && go build -o ../../sdk/host .)
//	sdk/host sdk/share/torqsched/streams/worked-example-1.binpb
//
// With the distribution in sdk; the file is a serialized torqsched.v1.ScheduleRequest.
package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire" // fields by their numbers in torqsched/v1/*.proto
)

var defaults *torqsched.Session // nil: all defaults

func fail(status int, message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(status)
}

// place is the host's own allocator, as simple as can be: an order fits where its live bytes do. It
// prices the order with the library itself: fields 1 to 5 of an OracleRequest are a
// SimulateRequest's. Field 6 means something else there, so a last one of 0 turns it off.
func place(ctx context.Context, request []byte) ([]byte, error) {
	price, err := defaults.Simulate(ctx, wire.AppendUint(request, 6, 0))
	if err != nil {
		return nil, err
	}
	hardware, peak := messageOf(request, 2), uintOf(price, 2)
	if peak > uintOf(hardware, 2)-uintOf(hardware, 3) {
		return wire.AppendString(nil, 5, fmt.Sprintf("%d bytes are live at once", peak)), nil
	}
	return wire.AppendUint(wire.AppendUint(nil, 1, 1), 3, uintOf(price, 1)), nil
}

// cycles is "410 cycles in the input order, 250 as scheduled", of a ScheduleResponse.
func cycles(response []byte) string {
	// Where the input order cannot be placed there is no bar, but an input_makespan without swaps.
	before := fmt.Sprintf("%d cycles in the input order (not placed)", uintOf(response, 9))
	if bar, placed, _ := wire.Uint(response, 14); placed {
		before = fmt.Sprintf("%d cycles in the input order", bar)
	}
	if makespan, placed, _ := wire.Uint(response, 8); placed {
		return fmt.Sprintf("%s, %d as scheduled", before, makespan)
	}
	return before + ", not placed"
}

func main() {
	usage := "usage: " + os.Args[0] + " REQUEST.binpb"
	if len(os.Args) != 2 {
		fail(2, usage)
	}
	request, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(2, err.Error()+"; "+usage)
	}
	request = wire.AppendBytes(request, 3, wire.AppendUint(nil, 2, 2)) // options.oracle: HOST

	stop := func() {}
	var asked, told atomic.Int64 // a session may be in many calls at once
	session, err := torqsched.NewSession(torqsched.Options{
		Oracle: func(ctx context.Context, request []byte) ([]byte, error) {
			asked.Add(1)
			return place(ctx, request)
		},
		Progress: func(context.Context, torqsched.Progress) error {
			told.Add(1)
			stop()
			return nil
		},
	})
	if err != nil {
		fail(1, line(err))
	}
	defer session.Close()
	response, err := session.Schedule(context.Background(), request)
	if err != nil {
		fail(1, line(err))
	}
	name, bound := messageOf(messageOf(request, 1), 1), uintOf(messageOf(response, 15), 1)
	fmt.Printf("%s: %s, lower bound %d\n", name, cycles(response), bound)
	fmt.Printf("oracle asked %d times, progress told %d times\n", asked.Load(), told.Load())

	ctx, cancel := context.WithCancel(context.Background())
	stop = cancel // with an answer in hand, the call would give that
	_, err = session.Schedule(ctx, request)
	fmt.Println("cancelled:", line(err))
	_, err = defaults.Schedule(context.Background(), []byte("no ScheduleRequest"))
	fmt.Println("bad bytes:", line(err))
}
