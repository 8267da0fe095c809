// A compiler's view of libtorqsched: schedules a request with an allocator of its own.
//
//	go run . worked-example-1.binpb    # a serialized torqsched.v1.ScheduleRequest
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire" // fields by their numbers in torqsched/v1/*.proto
)

var defaults *torqsched.Session // nil: the defaults

func must[Value any](value Value, err error) Value {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func uintOf(message []byte, number int) uint64 {
	value, _, err := wire.Uint(message, number)
	return must(value, err)
}

func messageOf(message []byte, number int) []byte {
	value, _, err := wire.Message(message, number)
	return must(value, err)
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

func main() {
	if len(os.Args) != 2 {
		must(0, errors.New("usage: go run . REQUEST"))
	}
	request := must(os.ReadFile(os.Args[1]))
	request = wire.AppendBytes(request, 3, wire.AppendUint(nil, 2, 2)) // options.oracle: HOST

	// Schedule, with an oracle and with progress. Sessions may be in many calls at once.
	var asked, told atomic.Int64
	enough := func() {}
	session := must(torqsched.NewSession(torqsched.Options{
		Oracle: func(ctx context.Context, request []byte) ([]byte, error) {
			asked.Add(1)
			return place(ctx, request)
		},
		Progress: func(ctx context.Context, progress torqsched.Progress) error {
			told.Add(1)
			if progress.HasBest {
				enough()
			}
			return nil
		},
	}))
	defer session.Close()
	response := must(session.Schedule(context.Background(), request))
	fmt.Println("libtorqsched   ", torqsched.Version())
	fmt.Println("input makespan ", uintOf(response, 9), "cycles")
	fmt.Println("makespan       ", uintOf(response, 8), "cycles")
	fmt.Println("lower bound    ", uintOf(messageOf(response, 15), 1), "cycles")
	fmt.Println("order          ", must(wire.Uints(response, 1)))
	fmt.Println("oracle asked   ", asked.Load(), "times")
	fmt.Println("progress told  ", told.Load(), "times")

	// Cancel a call as soon as there is an answer: it is given, and says so.
	ctx, cancel := context.WithCancel(context.Background())
	enough = cancel
	response = must(session.Schedule(ctx, request))
	fmt.Printf("cancelled       %d: %v, with %d cycles in hand\n", uintOf(response, 23), ctx.Err(), uintOf(response, 8))

	// Before there is one, and with bytes that are no request: errors.
	_, err := session.Schedule(ctx, request)
	fmt.Println("too late       ", errors.Is(err, context.Canceled), err)
	_, err = defaults.Schedule(context.Background(), request[:len(request)/2])
	var failure *torqsched.Error
	if errors.As(err, &failure) && failure.Code == torqsched.CodeInvalidArgument {
		fmt.Println("half a request ", failure.Code, failure.Message)
	}
}
