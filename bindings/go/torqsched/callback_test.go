package torqsched_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire"
)

func hostRequest(count int) []byte {
	return withOption(request(chains(count)), optionsOracle, oracleHost)
}

// price answers an OracleRequest by simulation: every order is placed.
func price(ctx context.Context, request []byte) ([]byte, error) {
	const placed, makespan, simulateTimeline = 1, 3, 6
	// Fields 1 to 5 of an OracleRequest are those of a SimulateRequest; of field 6 the last one counts.
	answer, err := (*torqsched.Session)(nil).Simulate(ctx, wire.AppendUint(request, simulateTimeline, 0))
	if err != nil {
		return nil, err
	}
	cycles, _, err := wire.Uint(answer, 1)
	return wire.AppendUint(wire.AppendUint(nil, placed, 1), makespan, cycles), err
}

type contextKey struct{}

func TestOracle(t *testing.T) {
	var asked, copies [][]byte
	ctx := context.WithValue(background, contextKey{}, "mine")
	session := newSession(t, torqsched.Options{Oracle: func(ctx context.Context, request []byte) ([]byte, error) {
		if ctx.Value(contextKey{}) != "mine" {
			t.Error("another context")
		}
		asked = append(asked, request)
		copies = append(copies, append([]byte(nil), request...))
		return price(ctx, request)
	}})
	response, err := session.Schedule(ctx, hostRequest(4))
	if err != nil {
		t.Fatal(err)
	}
	want := uintOf(t, mustSchedule(t, nil, request(chains(4))), responseAllocated)
	if got := uintOf(t, response, responseAllocated); got != want || len(asked) == 0 {
		t.Errorf("%d cycles, want %d; asked %d times", got, want, len(asked))
	}
	runtime.GC()
	for i, kept := range asked { // they are the callback's to keep
		if !bytes.Equal(kept, copies[i]) {
			t.Error("a request has changed")
		}
	}
}

func TestOracleFails(t *testing.T) {
	full := errors.New("no room")
	for _, test := range []struct {
		name   string
		answer []byte
		err    error
		code   torqsched.Code
	}{
		{"error", nil, full, torqsched.CodeAborted},
		{"error of a context", nil, context.DeadlineExceeded, torqsched.CodeAborted},
		{"not a message", []byte{0xff}, nil, torqsched.CodeInternal},
		{"placed for nothing", []byte{0x08, 0x01}, nil, torqsched.CodeInternal},
	} {
		session := newSession(t, torqsched.Options{Oracle: func(context.Context, []byte) ([]byte, error) {
			return test.answer, test.err
		}})
		_, err := session.Schedule(background, hostRequest(4))
		failure := failure(t, err, test.code)
		if test.err != nil && (!errors.Is(err, test.err) || !strings.Contains(err.Error(), test.err.Error())) {
			t.Errorf("%s: %v", test.name, err)
		}
		if test.err == nil && !strings.HasPrefix(failure.Field, "oracle_response") {
			t.Errorf("%s: field %q of %v", test.name, failure.Field, err)
		}
	}
	// No bytes are an answer: not placed.
	session := newSession(t, torqsched.Options{Oracle: func(context.Context, []byte) ([]byte, error) { return nil, nil }})
	response := mustSchedule(t, session, hostRequest(4))
	if _, placed, _ := wire.Uint(response, responseAllocated); placed {
		t.Error("placed by an oracle that never places")
	}
}

func TestLog(t *testing.T) {
	lines := 0
	session := newSession(t, torqsched.Options{Log: func(ctx context.Context, level torqsched.LogLevel, message string) {
		lines++
		if ctx.Value(contextKey{}) != "mine" || level < torqsched.LogDebug || level > torqsched.LogError || message == "" || strings.Contains(message, "\n") {
			t.Errorf("%d %q", level, message)
		}
	}})
	if _, err := session.Schedule(context.WithValue(background, contextKey{}, "mine"), request(chains(4))); err != nil {
		t.Fatal(err)
	}
	if lines == 0 {
		t.Error("no remarks")
	}
}

// A callback may call other sessions, whose callbacks get their own contexts, and not its own.
func TestReentry(t *testing.T) {
	inner := newSession(t, torqsched.Options{Progress: func(ctx context.Context, _ torqsched.Progress) error {
		if ctx.Value(contextKey{}) != "inner" {
			return errors.New("the context of another call")
		}
		return nil
	}})
	inside := 0
	var outer *torqsched.Session
	outer = newSession(t, torqsched.Options{
		Progress: func(ctx context.Context, _ torqsched.Progress) error {
			if ctx.Value(contextKey{}) != "outer" {
				return errors.New("the context of another call")
			}
			return nil
		},
		Oracle: func(ctx context.Context, request []byte) ([]byte, error) {
			inside++
			_, err := outer.Simulate(ctx, emptyStream)
			if failure := failure(t, err, torqsched.CodeFailedPrecondition); failure.Unwrap() != nil {
				return nil, err
			}
			if _, err := inner.Schedule(context.WithValue(ctx, contextKey{}, "inner"), hostless); err != nil {
				return nil, err
			}
			return price(ctx, request)
		},
	})
	if _, err := outer.Schedule(context.WithValue(background, contextKey{}, "outer"), hostRequest(4)); err != nil {
		t.Error(err)
	}
	if inside == 0 {
		t.Error("the oracle was not asked")
	}
}

var hostless = request(chains(2))

// panicOf is what f panics with.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestPanics(t *testing.T) {
	reason := errors.New("the reason")
	never := true // so that what panics is not known to
	fail := func(value any) {
		if never {
			panic(value)
		}
	}
	for _, value := range []any{"text", reason, 5, nil} {
		for name, options := range map[string]torqsched.Options{
			"Log":      {Log: func(context.Context, torqsched.LogLevel, string) { fail(value) }},
			"Progress": {Progress: func(context.Context, torqsched.Progress) error { fail(value); return nil }},
			"Oracle":   {Oracle: func(context.Context, []byte) ([]byte, error) { fail(value); return nil, nil }},
		} {
			calls := hostless
			if name == "Oracle" {
				calls = hostRequest(4)
			}
			session := newSession(t, options)
			for i := 0; i < 3; i++ {
				got, ok := panicOf(func() { session.Schedule(background, calls) }).(*torqsched.CallbackPanic)
				if !ok || got.Callback != name || got.Value != value || !bytes.Contains(got.Stack, []byte("TestPanics")) {
					t.Fatalf("%s: %+v", name, got)
				}
				if errors.Is(got, reason) != (value == reason) {
					t.Errorf("%s: wraps %v", name, got.Unwrap())
				}
			}
			session.Close()
		}
	}
	// Nothing is left behind on this thread.
	mustSchedule(t, nil, request(chains(4)))
}

// After a panic no other callback of the call is asked.
func TestNothingAfterAPanic(t *testing.T) {
	panicked := false
	check := func() {
		if panicked {
			t.Error("a callback after the panic")
		}
	}
	session := newSession(t, torqsched.Options{
		Log: func(context.Context, torqsched.LogLevel, string) { check(); panicked = true; panic("log") },
		Progress: func(context.Context, torqsched.Progress) error {
			check()
			return nil
		},
		Oracle: func(ctx context.Context, request []byte) ([]byte, error) { check(); return price(ctx, request) },
	})
	if panicOf(func() { session.Schedule(background, hostRequest(20)) }) == nil {
		t.Error("no panic")
	}
}

func TestPanicThroughTwoSessions(t *testing.T) {
	inner := newSession(t, torqsched.Options{Progress: func(context.Context, torqsched.Progress) error { panic("inner") }})
	outer := newSession(t, torqsched.Options{Progress: func(ctx context.Context, _ torqsched.Progress) error {
		_, err := inner.Schedule(ctx, hostless)
		return err
	}})
	got, _ := panicOf(func() { outer.Schedule(background, hostless) }).(*torqsched.CallbackPanic)
	if got == nil {
		t.Fatal("no panic")
	}
	if cause, _ := got.Value.(*torqsched.CallbackPanic); cause == nil || cause.Value != "inner" {
		t.Errorf("%v", got.Value)
	}
}

// Many goroutines, half of whose calls panic, on one session.
func TestPanicsBesideOthers(t *testing.T) {
	session := newSession(t, torqsched.Options{Oracle: func(ctx context.Context, request []byte) ([]byte, error) {
		if ctx.Value(contextKey{}) != nil {
			panic(ctx.Value(contextKey{}))
		}
		return price(ctx, request)
	}})
	want := mustSchedule(t, session, hostRequest(4))
	var done sync.WaitGroup
	for goroutine := 0; goroutine < 8; goroutine++ {
		done.Add(1)
		go func(goroutine int) {
			defer done.Done()
			ctx := background
			if goroutine%2 == 0 {
				ctx = context.WithValue(background, contextKey{}, goroutine)
			}
			for i := 0; i < 200; i++ {
				var got []byte
				var err error
				panicked := panicOf(func() { got, err = session.Schedule(ctx, hostRequest(4)) })
				if goroutine%2 == 0 {
					if p, _ := panicked.(*torqsched.CallbackPanic); p == nil || p.Value != goroutine {
						t.Errorf("%v", panicked)
					}
				} else if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%v", err)
				}
			}
		}(goroutine)
	}
	done.Wait()
}

// A callback that ends its goroutine ends the program, and says why: also where somebody recovers.
func TestGoexit(t *testing.T) {
	if os.Getenv("TORQSCHED_GOEXIT") != "" {
		session := newSession(t, torqsched.Options{Progress: func(context.Context, torqsched.Progress) error {
			runtime.Goexit()
			return nil
		}})
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() { recover() }()
			session.Schedule(background, hostless)
		}()
		<-done
		fmt.Println("survived")
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestGoexit$")
	command.Env = append(os.Environ(), "TORQSCHED_GOEXIT=1")
	output, err := command.CombinedOutput()
	if err == nil || !bytes.Contains(output, []byte("a callback ended its goroutine")) || bytes.Contains(output, []byte("survived")) {
		t.Errorf("%v\n%s", err, output)
	}
}
