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
	lowerTuning, tuningCancelled                       = 5, 7
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

// warm is a PlanWarmRequest: testdata/warm/two-weights, but for its names.
func warm() []byte {
	const regions, kinds, size, stages, reads = 2, 3, 2, 3, 4
	const region, duration, other, taskID = 1, 2, 5, 8
	stage := func(ns uint64) []byte { return wire.AppendUint(nil, duration, ns) }
	var timeline, kind []byte
	for name, bytes := range []uint64{64 << 20, 32 << 20} {
		named := wire.AppendString(nil, 1, string(rune('a'+name)))
		timeline = wire.AppendBytes(timeline, regions, wire.AppendUint(named, size, bytes))
	}
	for _, stage := range [][]byte{
		wire.AppendUint(stage(98000), taskID, 1),
		stage(400000),
		wire.AppendBytes(stage(52000), reads, wire.AppendUint(nil, region, 0)),
		wire.AppendBytes(stage(30000), reads, wire.AppendUint(nil, region, 1)),
		wire.AppendUint(stage(470000), other, 427819008),
	} {
		kind = wire.AppendBytes(kind, stages, stage)
	}
	return wire.AppendBytes(nil, 1, wire.AppendBytes(timeline, kinds, kind))
}

// rounds is a JudgeWarmRequest: of one card 60 rounds without the warm, and 60 with it.
func rounds(without, with uint64) []byte {
	const series, warmed, times = 1, 2, 3
	var all [2][]uint64
	for i := 0; i < 60; i++ {
		all[0], all[1] = append(all[0], without), append(all[1], with)
	}
	request := wire.AppendBytes(nil, series, wire.AppendUints(nil, times, all[0]))
	return wire.AppendBytes(request, series, wire.AppendUints(wire.AppendUint(nil, warmed, 1), times, all[1]))
}

// tiles is a PlanTilesRequest: one contraction, m x 768 by 768 x 3072, of 16 bits each, whose weight is
// all the constants there are.
func tiles(m uint64) []byte {
	const constants, loops, contraction, shape = 2, 3, 2, 6
	const rows, columns, sums, lhsBits, weightBits, outBits = 2, 3, 4, 5, 6, 7
	product := wire.AppendUint(wire.AppendUint(wire.AppendUint(nil, rows, m), columns, 3072), sums, 768)
	for _, bits := range []int{lhsBits, weightBits, outBits} {
		product = wire.AppendUint(product, bits, 16)
	}
	loop := wire.AppendBytes(wire.AppendUint(nil, contraction, 1), shape, product)
	return wire.AppendBytes(wire.AppendUint(nil, constants, 3072*768*2), loops, loop)
}

// table is a LowerRequest: one elementwise layer, which makes 128 bytes of 128 that the network is
// given.
func table() []byte {
	const network, layers, op, inputs, inputBytes, outputBytes = 1, 2, 2, 4, 5, 6
	const given = 1 // -1, as a sint32
	layer := wire.AppendUints(wire.AppendString(nil, op, "elementwise"), inputs, []uint64{given})
	layer = wire.AppendUint(wire.AppendUints(layer, inputBytes, []uint64{128}), outputBytes, 128)
	return wire.AppendBytes(nil, network, wire.AppendBytes(nil, layers, layer))
}

// tuned asks a LowerRequest to try budgets.
func tuned(request []byte) []byte {
	const options, tuning = 3, 7
	return wire.AppendBytes(request, options, wire.AppendBytes(nil, tuning, nil))
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

// messagesOf are the messages of a repeated field.
func messagesOf(t testing.TB, message []byte, number int) (messages [][]byte) {
	t.Helper()
	reader := wire.NewReader(message)
	for reader.Next() {
		if field := reader.Field(); field.Number == number && field.Type == wire.Bytes {
			messages = append(messages, field.Bytes)
		}
	}
	if reader.Err() != nil {
		t.Fatal(reader.Err())
	}
	return messages
}

// messageOf is the only message of such a field.
func messageOf(t testing.TB, message []byte, number int) []byte {
	t.Helper()
	messages := messagesOf(t, message, number)
	if len(messages) != 1 {
		t.Fatalf("%d messages in field %d, want 1", len(messages), number)
	}
	return messages[0]
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
