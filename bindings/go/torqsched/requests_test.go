package torqsched_test

import (
	"context"
	"errors"
	"testing"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire"
)

var background = context.Background()

// emptyStream is the smallest request: a stream without name, buffers and ops.
var emptyStream = []byte{0x0a, 0x00}

// Fields of the messages below, by the .proto files.
const (
	requestStream, requestOptions                      = 1, 3
	optionsStrategy, optionsOracle, optionsWorkLimit   = 1, 2, 8
	strategyOptimize, oracleHost                       = 3, 2
	responseOrder, responseAllocated, responseInput    = 1, 8, 9
	responseScheduleCancelled, responseAllocateVerdict = 23, 1
)

// chains is a stream of so many times load, start, wait, store, each on buffers of its own: written
// as plainly as a compiler would, so that an order which overlaps them is faster.
func chains(count int) (stream []byte) {
	const space, size, xram, lram = 2, 3, 1, 2
	const kind, cycles, slice, start, accesses = 2, 3, 4, 5, 8
	const load, store, startOp, wait = 2, 3, 4, 5
	const bufferField, opField = 2, 3
	access := func(op []byte, buffer int, mode uint64) []byte {
		return wire.AppendBytes(op, accesses, wire.AppendUint(wire.AppendUint(nil, 1, uint64(buffer)), 4, mode))
	}
	for i := 0; i < 4*count; i++ {
		buffer := wire.AppendUint(nil, space, map[bool]uint64{false: xram, true: lram}[i%4 == 1 || i%4 == 2])
		stream = wire.AppendBytes(stream, bufferField, wire.AppendUint(buffer, size, 64))
	}
	for i := 0; i < count; i++ {
		op := wire.AppendUint(wire.AppendUint(nil, kind, load), cycles, 30)
		stream = wire.AppendBytes(stream, opField, access(access(op, 4*i, 1), 4*i+1, 2))
		op = wire.AppendUint(wire.AppendUint(wire.AppendUint(nil, kind, startOp), cycles, 100), slice, 0)
		stream = wire.AppendBytes(stream, opField, access(access(op, 4*i+1, 1), 4*i+2, 2))
		op = wire.AppendUint(wire.AppendUint(nil, kind, wait), start, uint64(4*i+1))
		stream = wire.AppendBytes(stream, opField, op)
		op = wire.AppendUint(wire.AppendUint(nil, kind, store), cycles, 20)
		stream = wire.AppendBytes(stream, opField, access(access(op, 4*i+2, 1), 4*i+3, 2))
	}
	return stream
}

// request is a ScheduleRequest about a stream; of AllocateRequest and SimulateRequest its field 1 is
// the stream as well.
func request(stream []byte) []byte { return wire.AppendBytes(nil, requestStream, stream) }

// withOption adds one option to a ScheduleRequest: messages that occur twice are merged.
func withOption(request []byte, number int, value uint64) []byte {
	return wire.AppendBytes(request[:len(request):len(request)], requestOptions, wire.AppendUint(nil, number, value))
}

// residency is a PlanResidencyRequest: crossbar, so much SRAM, and a program with tensors of these
// names, each an activation of 450 bytes that moves 900, written in phase 0 and read in phase 1.
func residency(sramBytes uint64, names ...string) []byte {
	const target, programs = 1, 2
	const sram, crossbar, tensors, accesses = 1, 3, 4, 5
	const name, role, size, moved, activation = 1, 2, 3, 4, 1
	const tensor, phase, store = 1, 3, 4
	var program []byte
	for i, text := range names {
		field := wire.AppendUint(wire.AppendString(nil, name, text), role, activation)
		program = wire.AppendBytes(program, tensors, wire.AppendUint(wire.AppendUint(field, size, 450), moved, 900))
		write := wire.AppendUint(wire.AppendUint(nil, tensor, uint64(i)), store, 1)
		read := wire.AppendUint(wire.AppendUint(nil, tensor, uint64(i)), phase, 1)
		program = wire.AppendBytes(wire.AppendBytes(program, accesses, write), accesses, read)
	}
	chip := wire.AppendUint(wire.AppendUint(nil, sram, sramBytes), crossbar, 1)
	return wire.AppendBytes(wire.AppendBytes(nil, target, chip), programs, program)
}

func newSession(t testing.TB, options torqsched.Options) *torqsched.Session {
	t.Helper()
	session, err := torqsched.NewSession(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// uintOf is an integer of a response, 0 where it is unset.
func uintOf(t testing.TB, message []byte, number int) uint64 {
	t.Helper()
	value, _, err := wire.Uint(message, number)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func mustSchedule(t testing.TB, session *torqsched.Session, request []byte) []byte {
	t.Helper()
	response, err := session.Schedule(background, request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// failure is the *Error with this code that err must be.
func failure(t testing.TB, err error, code torqsched.Code) *torqsched.Error {
	t.Helper()
	var failure *torqsched.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want an *Error of code %v", err, code)
	}
	if failure.Code != code || failure.Message == "" {
		t.Fatalf("got %v, want code %v and a message", err, code)
	}
	return failure
}
