package torqsched_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire"
)

func TestVersions(t *testing.T) {
	if version := torqsched.Version(); strings.Count(version, ".") != 2 {
		t.Errorf("version %q", version)
	}
	if abi := torqsched.ABIVersion(); abi == 0 {
		t.Error("no interface version")
	}
}

func TestCodeNames(t *testing.T) {
	for code, name := range map[torqsched.Code]string{
		torqsched.CodeOK: "OK", torqsched.CodeInvalidArgument: "INVALID_ARGUMENT", -1: "UNKNOWN", 99: "UNKNOWN",
	} {
		if code.String() != name {
			t.Errorf("%d is %v, want %s", int32(code), code, name)
		}
	}
}

func TestScheduleIsFasterThanTheInputAndVerified(t *testing.T) {
	stream := chains(8)
	for name, session := range map[string]*torqsched.Session{
		"nil":     nil,
		"zero":    new(torqsched.Session),
		"default": newSession(t, torqsched.Options{}),
		"full":    newSession(t, torqsched.Options{MemoryLimitBytes: 1 << 30, WorkerThreads: 2, ReuseArenas: true}),
	} {
		response := mustSchedule(t, session, request(stream))
		before, after := uintOf(t, response, responseInput), uintOf(t, response, responseAllocated)
		if before == 0 || after == 0 || after >= before {
			t.Errorf("%s: %d cycles before, %d after", name, before, after)
		}
		order, err := wire.Uints(response, responseOrder)
		if err != nil || len(order) != 4*8 {
			t.Errorf("%s: order %v, %v", name, order, err)
		}

		const verifySchedule, violations = 3, 1
		report, err := session.Verify(background, wire.AppendBytes(request(stream), verifySchedule, response))
		if err != nil {
			t.Fatal(err)
		}
		if _, wrong, err := wire.Message(report, violations); wrong || err != nil {
			t.Errorf("%s: the answer does not hold: %q, %v", name, report, err)
		}
		report, err = session.Verify(background, wire.AppendBytes(request(chains(7)), verifySchedule, response))
		if err != nil {
			t.Fatal(err)
		}
		if _, wrong, _ := wire.Message(report, violations); !wrong {
			t.Errorf("%s: the answer to another stream passes", name)
		}
	}
}

func TestSimulateAndAllocate(t *testing.T) {
	var session *torqsched.Session
	price, err := session.Simulate(background, request(chains(2)))
	if err != nil {
		t.Fatal(err)
	}
	if makespan := uintOf(t, price, 1); makespan != 2*(30+100+20) {
		t.Errorf("makespan %d", makespan)
	}
	placed, err := session.Allocate(background, request(chains(2)))
	if err != nil {
		t.Fatal(err)
	}
	if verdict := uintOf(t, placed, responseAllocateVerdict); verdict != 1 {
		t.Errorf("verdict %d", verdict)
	}
}

func TestPlanResidency(t *testing.T) {
	const programs, tiers, traffic = 1, 1, 4
	const inSRAM, inDRAM = 1, 3 // as tiers, and as the fields of traffic
	for name, session := range sessionsWithout(t) {
		for sram, want := range map[uint64]uint64{1000: inSRAM, 450: inSRAM, 449: inDRAM} {
			response, err := session.PlanResidency(background, residency(sram, "y"))
			if err != nil {
				t.Fatal(err)
			}
			program, _, err := wire.Message(response, programs)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := wire.Uints(program, tiers); err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("%s, %d bytes: tiers %v, %v", name, sram, got, err)
			}
			moved, _, err := wire.Message(response, traffic)
			if err != nil || uintOf(t, moved, int(want)) != 900 {
				t.Errorf("%s, %d bytes: traffic %v, %v", name, sram, moved, err)
			}
		}
		_, err := session.PlanResidency(background, residency(1000, "y", "y"))
		failure := failure(t, err, torqsched.CodeInvalidArgument)
		if failure.Field != "programs[0].tensors[1].name" {
			t.Errorf("%s: field %q of %v", name, failure.Field, err)
		}
	}
}

// sessionsWithout are those that a call without callbacks is tried on: one of them has a callback.
func sessionsWithout(t *testing.T) map[string]*torqsched.Session {
	return map[string]*torqsched.Session{
		"nil":       nil,
		"default":   newSession(t, torqsched.Options{}),
		"callbacks": newSession(t, torqsched.Options{Progress: func(context.Context, torqsched.Progress) error { return errors.New("not asked") }}),
	}
}

func TestPlanWarm(t *testing.T) {
	for _, session := range sessionsWithout(t) {
		plansTwoWeights(t, session, warm())
		_, err := session.PlanWarm(background, nil)
		if failure := failure(t, err, torqsched.CodeInvalidArgument); failure.Field != "timeline" {
			t.Errorf("field %q of %v", failure.Field, err)
		}
	}
}

// plansTwoWeights checks the plan that testdata/warm/README.md makes by hand.
func plansTwoWeights(t *testing.T, session *torqsched.Session, request []byte) {
	t.Helper()
	response, err := session.PlanWarm(background, request)
	if err != nil {
		t.Fatal(err)
	}
	kind := messageOf(t, response, 1)
	const without, saved = 1050000, 100663296 * 17 / 100000 // nanoseconds
	if cold, warm := uintOf(t, kind, 6), uintOf(t, kind, 7); cold != without || warm != without-saved {
		t.Errorf("%d ns without, %d with", cold, warm)
	}
	scope := messageOf(t, kind, 3)
	if anchor, set, err := wire.Uint(scope, 1); anchor != 0 || !set || err != nil { // q_up
		t.Errorf("after %d, %v, %v", anchor, set, err)
	}
	var warmed [][2]uint64 // regions, and when they have landed: at 285 bytes a nanosecond
	for _, region := range messagesOf(t, scope, 4) {
		warmed = append(warmed, [2]uint64{uintOf(t, region, 1), uintOf(t, region, 3)})
	}
	if len(warmed) != 2 || warmed[0] != [2]uint64{0, 357470} || warmed[1] != [2]uint64{1, 357470 + 117735} {
		t.Errorf("warms %v", warmed)
	}
}

const shipIt, doNotShipIt = 2, 3 // of ShipVerdict

func TestJudgeWarm(t *testing.T) {
	for _, session := range sessionsWithout(t) {
		judges(t, session, rounds(1000000, 980000), shipIt, 20000)
		judges(t, session, rounds(1000000, 1000000), doNotShipIt, 0)
		_, err := session.JudgeWarm(background, nil)
		if failure := failure(t, err, torqsched.CodeInvalidArgument); failure.Field != "series" {
			t.Errorf("field %q of %v", failure.Field, err)
		}
	}
}

// judges checks the verdict on one card's rounds, and by how much their median falls.
func judges(t *testing.T, session *torqsched.Session, request []byte, verdict uint64, gain int64) {
	t.Helper()
	response, err := session.JudgeWarm(background, request)
	if err != nil {
		t.Fatal(err)
	}
	median := int64(uintOf(t, messageOf(t, messageOf(t, response, 6), 4), 1))
	if got := uintOf(t, response, 1); got != verdict || median != -gain {
		t.Errorf("verdict %d, change %d; want %d, %d", got, median, verdict, -gain)
	}
}

func TestPlanTiles(t *testing.T) {
	const allOfLRAM, rowsStayWhole = 523008, 5
	for name, session := range sessionsWithout(t) {
		response, err := session.PlanTiles(background, tiles(128))
		if err != nil {
			t.Fatal(err)
		}
		loop := messageOf(t, response, 1)
		if size, reason := uintOf(t, loop, 1), uintOf(t, loop, 2); size != allOfLRAM || reason != rowsStayWhole {
			t.Errorf("%s: %d bytes for reason %d", name, size, reason)
		}
		_, err = session.PlanTiles(background, tiles(0))
		if failure := failure(t, err, torqsched.CodeInvalidArgument); failure.Field != "loops[0].shape.m" {
			t.Errorf("%s: field %q of %v", name, failure.Field, err)
		}
	}
}

func TestLower(t *testing.T) {
	const ops, programs, inputBytes, storedBytes = 3, 11, 14, 17
	for name, session := range sessionsWithout(t) { // as it is without tuning
		response, err := session.Lower(background, table())
		if err != nil {
			t.Fatal(err)
		}
		if len(messagesOf(t, messageOf(t, response, 1), ops)) == 0 {
			t.Errorf("%s: no ops", name)
		}
		layer := messageOf(t, response, 2)
		if uintOf(t, layer, programs) != 1 || uintOf(t, layer, inputBytes) != 128 || uintOf(t, layer, storedBytes) != 128 {
			t.Errorf("%s: layer %q", name, layer)
		}
		_, err = session.Lower(background, nil)
		if failure := failure(t, err, torqsched.CodeInvalidArgument); failure.Field != "network" {
			t.Errorf("%s: field %q of %v", name, failure.Field, err)
		}
	}
}

// With tuning it asks, and an error of that stops it, with a lowering in hand.
func TestLowerTuned(t *testing.T) {
	for name, session := range sessionsWithout(t) {
		response, err := session.Lower(background, tuned(table()))
		if err != nil {
			t.Fatal(err)
		}
		cancelled, _, err := wire.Uint(messageOf(t, response, lowerTuning), tuningCancelled)
		if err != nil || (cancelled == 1) != (name == "callbacks") {
			t.Errorf("%s: cancelled %d, %v", name, cancelled, err)
		}
	}
}

// shipped is a request that an installation has in share/torqsched.
func shipped(t *testing.T, name string) []byte {
	t.Helper()
	streams := os.Getenv("TORQSCHED_STREAMS")
	if streams == "" {
		t.Skip("TORQSCHED_STREAMS is not set to the directory share/torqsched/streams of an installation")
	}
	file, err := os.ReadFile(filepath.Join(streams, "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestShippedWarms(t *testing.T) {
	plansTwoWeights(t, nil, shipped(t, "warm/two-weights.binpb"))
	judges(t, nil, shipped(t, "warm/rounds.binpb"), shipIt, 15980)
}

func TestWorkedExample(t *testing.T) {
	response := mustSchedule(t, nil, shipped(t, "streams/worked-example-1.binpb"))
	before, after := uintOf(t, response, responseInput), uintOf(t, response, responseAllocated)
	if before != 410 || after != 250 {
		t.Errorf("%d to %d cycles, want 410 to 250", before, after)
	}
}

func TestErrors(t *testing.T) {
	waitForNothing := wire.AppendBytes(nil, 3, wire.AppendUint(nil, 2, 5))
	bufferOutOfReach := wire.AppendBytes(nil, 3, wire.AppendBytes(
		wire.AppendUint(nil, 2, 2), 8, wire.AppendUint(wire.AppendUint(nil, 1, 0), 4, 2)))
	for _, test := range []struct {
		name    string
		request []byte
		code    torqsched.Code
		field   string
		op      int // -1: none
	}{
		{"no message", []byte{0xff, 0xff, 0xff}, torqsched.CodeInvalidArgument, "", -1},
		{"text", []byte("stream { ops {} }"), torqsched.CodeInvalidArgument, "", -1},
		{"cut short", request(chains(3))[:100], torqsched.CodeInvalidArgument, "", -1},
		{"a wait for nothing", request(append(chains(1), waitForNothing...)), torqsched.CodeInvalidArgument, "stream.ops[4].start", 4},
		{"a load into XRAM", request(append(chains(1), bufferOutOfReach...)), torqsched.CodeInvalidArgument, "stream.ops[4]", 4},
		{"an unknown chip", wire.AppendBytes(emptyStream[:2:2], 2, wire.AppendString(nil, 1, "no such chip")), torqsched.CodeNotFound, "hardware.profile", -1},
		{"no oracle", withOption(request(chains(1)), optionsOracle, oracleHost), torqsched.CodeFailedPrecondition, "options.oracle", -1},
		{"an unknown strategy", withOption(request(chains(1)), optionsStrategy, 77), torqsched.CodeInvalidArgument, "options.strategy", -1},
	} {
		response, err := (*torqsched.Session)(nil).Schedule(background, test.request)
		failure := failure(t, err, test.code)
		if response != nil {
			t.Errorf("%s: a response beside an error", test.name)
		}
		if !strings.HasPrefix(failure.Field, test.field) {
			t.Errorf("%s: field %q of %v", test.name, failure.Field, err)
		}
		if failure.HasOp != (test.op >= 0) || failure.HasOp && int(failure.Op) != test.op {
			t.Errorf("%s: op %v %d of %v", test.name, failure.HasOp, failure.Op, err)
		}
		if failure.Unwrap() != nil {
			t.Errorf("%s: wraps %v", test.name, failure.Unwrap())
		}
		t.Logf("%s: %v", test.name, err)
	}
}

func TestErrorNamesTheBuffer(t *testing.T) {
	// An access to a byte that the buffer does not have.
	op := wire.AppendBytes(wire.AppendUint(nil, 2, 6), 8,
		wire.AppendUint(wire.AppendUint(wire.AppendUint(nil, 1, 1), 2, 1000), 4, 1))
	_, err := (*torqsched.Session)(nil).Simulate(background, request(wire.AppendBytes(chains(1), 3, op)))
	failure := failure(t, err, torqsched.CodeInvalidArgument)
	if !failure.HasOp || failure.Op != 4 || !failure.HasBuffer || failure.Buffer != 1 {
		t.Errorf("%+v", failure)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	session, err := torqsched.NewSession(torqsched.Options{WorkerThreads: 5000})
	if session != nil {
		t.Error("a session beside an error")
	}
	failure(t, err, torqsched.CodeInvalidArgument)

	small := newSession(t, torqsched.Options{MemoryLimitBytes: 10000})
	_, err = small.Schedule(background, request(chains(100)))
	failure(t, err, torqsched.CodeResourceExhausted)
	if _, err = small.Schedule(background, emptyStream); err != nil {
		t.Error(err)
	}
}

func TestNoBytes(t *testing.T) {
	var session *torqsched.Session
	for _, empty := range [][]byte{nil, {}, emptyStream[:0]} {
		for _, call := range []func(context.Context, []byte) ([]byte, error){
			session.Schedule, session.Simulate, session.Verify,
		} {
			_, err := call(background, empty)
			if failure := failure(t, err, torqsched.CodeInvalidArgument); failure.Field != "stream" {
				t.Errorf("field %q", failure.Field)
			}
		}
		if response, err := session.Allocate(background, empty); err != nil || response == nil {
			t.Errorf("no buffers to place: %v, %v", response, err)
		}
		if response, err := session.PlanResidency(background, empty); err != nil || response == nil {
			t.Errorf("no programs to plan for: %v, %v", response, err)
		}
		if response, err := session.PlanTiles(background, empty); err != nil || response == nil {
			t.Errorf("no loops to plan for: %v, %v", response, err)
		}
	}
	// A price of nothing: all fields at their defaults, or nearly.
	if response, err := session.Simulate(background, emptyStream); err != nil || response == nil {
		t.Errorf("%v, %v", response, err)
	}
}

// The request may be a part of any memory, also of memory that has pointers of Go beside it: cgo
// checks that (more of it with GODEBUG=cgocheck=2).
func TestRequestBesidePointers(t *testing.T) {
	type record struct {
		pointer *int
		bytes   [300]byte
		more    *record
	}
	r := &record{pointer: new(int), more: &record{}}
	size := copy(r.bytes[:], request(chains(2)))
	want := mustSchedule(t, nil, request(chains(2)))
	if got := mustSchedule(t, nil, r.bytes[:size]); !bytes.Equal(got, want) {
		t.Error("another answer")
	}
	var onStack [2]byte
	copy(onStack[:], emptyStream)
	mustSchedule(t, nil, onStack[:])
}

func TestResponseIsTheCallers(t *testing.T) {
	want := mustSchedule(t, nil, request(chains(3)))
	kept := mustSchedule(t, nil, request(chains(3)))
	for i := 0; i < 100; i++ {
		other := mustSchedule(t, nil, request(chains(i%5+1)))
		for i := range other {
			other[i] = 0xff
		}
	}
	runtime.GC()
	if !bytes.Equal(kept, want) {
		t.Error("a response changed")
	}
}

func TestClose(t *testing.T) {
	session := newSession(t, torqsched.Options{ReuseArenas: true})
	mustSchedule(t, session, emptyStream)
	for i := 0; i < 3; i++ {
		if err := session.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := session.Schedule(background, emptyStream)
		failure(t, err, torqsched.CodeFailedPrecondition)
		if !errors.Is(err, torqsched.ErrClosed) {
			t.Errorf("%v is not ErrClosed", err)
		}
	}
	for _, defaults := range []*torqsched.Session{nil, new(torqsched.Session)} {
		defaults.Close()
		mustSchedule(t, defaults, emptyStream)
	}
}

// Close while calls are in progress, and from inside one: those end as if nothing had happened.
func TestCloseDuringCalls(t *testing.T) {
	for i := 0; i < 50; i++ {
		var session *torqsched.Session
		closeInside := i%2 == 1
		session = newSession(t, torqsched.Options{Progress: func(context.Context, torqsched.Progress) error {
			if closeInside {
				session.Close()
			}
			return nil
		}})
		ends := make(chan error)
		for goroutine := 0; goroutine < 4; goroutine++ {
			go func() {
				for {
					if _, err := session.Schedule(background, request(chains(3))); err != nil {
						ends <- err
						return
					}
				}
			}()
		}
		time.Sleep(time.Millisecond)
		session.Close()
		for goroutine := 0; goroutine < 4; goroutine++ {
			if err := <-ends; !errors.Is(err, torqsched.ErrClosed) {
				t.Fatal(err)
			}
		}
	}
}
