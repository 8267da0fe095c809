package torqsched_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"libtorqsched/go/torqsched"
)

// endless is a request whose search would take hours.
func endless() []byte {
	return withOption(withOption(request(chains(300)), optionsStrategy, strategyOptimize), optionsWorkLimit, 1<<50)
}

func TestContextDoneBeforeTheCall(t *testing.T) {
	var session *torqsched.Session
	cancelled, cancel := context.WithCancel(background)
	cancel()
	expired, cancel := context.WithTimeout(background, -1)
	defer cancel()
	for ctx, want := range map[context.Context]error{cancelled: context.Canceled, expired: context.DeadlineExceeded} {
		for _, call := range []func(context.Context, []byte) ([]byte, error){
			session.Schedule, session.Simulate, session.Allocate, session.PlanResidency,
			session.PlanWarm, session.JudgeWarm, session.PlanTiles, session.Lower, session.Verify,
		} {
			_, err := call(ctx, emptyStream)
			failure(t, err, torqsched.CodeCancelled)
			if !errors.Is(err, want) {
				t.Errorf("%v is not %v", err, want)
			}
		}
	}
}

// Cancelled when the library asks for the first time: it has nothing yet.
func TestCancelBeforeAnythingIsInHand(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	calls := 0
	session := newSession(t, torqsched.Options{Progress: func(_ context.Context, p torqsched.Progress) error {
		calls++
		cancel()
		return context.Canceled
	}})
	_, err := session.Schedule(ctx, endless())
	failure(t, err, torqsched.CodeCancelled)
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// Cancelled by another goroutine when there is an answer: it is given, and says so.
func TestCancelWithAnAnswerInHand(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	inHand := make(chan bool, 1)
	session := newSession(t, torqsched.Options{Progress: func(_ context.Context, p torqsched.Progress) error {
		if p.HasBest {
			select {
			case inHand <- true:
			default:
			}
		}
		return nil
	}})
	go func() {
		<-inHand
		cancel()
	}()
	begin := time.Now()
	response, err := session.Schedule(ctx, endless())
	if err != nil {
		t.Fatal(err)
	}
	if uintOf(t, response, responseScheduleCancelled) != 1 || ctx.Err() == nil {
		t.Error("not marked as cancelled")
	}
	if uintOf(t, response, responseAllocated) == 0 {
		t.Error("no answer")
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// Lower asks while it tries budgets: a lowering is in hand by then, and given.
func TestCancelTuning(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	session := newSession(t, torqsched.Options{Progress: func(context.Context, torqsched.Progress) error {
		cancel()
		return nil
	}})
	response, err := session.Lower(ctx, tuned(table()))
	if err != nil || ctx.Err() == nil {
		t.Fatal(err, ctx.Err())
	}
	if uintOf(t, messageOf(t, response, lowerTuning), tuningCancelled) != 1 {
		t.Error("not marked as cancelled")
	}
	messageOf(t, response, 1) // the stream
}

// A context that is done after the last progress cancels nothing.
func TestContextDoneTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	session := newSession(t, torqsched.Options{Progress: func(_ context.Context, p torqsched.Progress) error {
		if p.Fraction == 1 {
			cancel()
		}
		return nil
	}})
	want := mustSchedule(t, nil, request(chains(3)))
	got, err := session.Schedule(ctx, request(chains(3)))
	if err != nil || !bytes.Equal(got, want) || ctx.Err() == nil {
		t.Errorf("%v %v", err, ctx.Err())
	}
}

// An oracle that hands its context on is not stopped by it, which would lose the answer in hand.
func TestCancelBeforeTheOracleIsAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	asked := 0
	session := newSession(t, torqsched.Options{Oracle: func(ctx context.Context, request []byte) ([]byte, error) {
		if asked++; asked == 1 {
			cancel()
		}
		if _, ok := ctx.Deadline(); ok || ctx.Done() != nil || ctx.Err() != nil {
			return nil, errors.New("the context is done, or will be")
		}
		return price(ctx, request)
	}})
	response, err := session.Schedule(ctx, hostRequest(20))
	if err != nil || uintOf(t, response, responseScheduleCancelled) != 1 {
		t.Errorf("%v after %d orders", err, asked)
	}
}

func TestProgressStopsACall(t *testing.T) {
	enough := errors.New("enough")
	const atOnce, withAnswer = 0, 1
	for _, when := range []int{atOnce, withAnswer} {
		after := 0
		stopped := false
		last := -1.0
		session := newSession(t, torqsched.Options{Progress: func(_ context.Context, p torqsched.Progress) error {
			if stopped {
				after++
			}
			if p.Fraction < last || p.Fraction < 0 || p.Fraction > 1 {
				t.Errorf("fraction %v after %v", p.Fraction, last)
			}
			last = p.Fraction
			if when == withAnswer && !p.HasBest {
				return nil
			}
			if p.HasBest != (p.BestMakespan != 0) {
				t.Errorf("%+v", p)
			}
			stopped = true
			return enough
		}})
		response, err := session.Schedule(background, endless())
		if after != 0 {
			t.Errorf("asked %d times more", after)
		}
		if when == withAnswer {
			if err != nil || uintOf(t, response, responseScheduleCancelled) != 1 {
				t.Errorf("%v", err)
			}
			continue
		}
		failure(t, err, torqsched.CodeCancelled)
		if !errors.Is(err, enough) {
			t.Errorf("%v does not wrap the callback's error", err)
		}
	}
}

// One session, eight goroutines in it at once, and a context each. One of them is cancelled, at its
// first progress or at a later one: the others answer as if they were alone.
func TestCancelOneOfEight(t *testing.T) {
	type key struct{}
	session := newSession(t, torqsched.Options{Progress: func(ctx context.Context, p torqsched.Progress) error {
		if cancel, ok := ctx.Value(key{}).(func(torqsched.Progress)); ok {
			cancel(p)
		}
		return nil
	}})
	plain := request(chains(100))
	want := mustSchedule(t, session, plain)
	for round := 0; round < 6; round++ {
		var together, done sync.WaitGroup
		together.Add(8)
		errs := make(chan error, 8)
		for goroutine := 0; goroutine < 8; goroutine++ {
			done.Add(1)
			go func(chosen bool) {
				defer done.Done()
				ctx, cancel := context.WithCancel(background)
				defer cancel()
				first := true
				ctx = context.WithValue(ctx, key{}, func(p torqsched.Progress) {
					if first { // all eight calls are in progress from here on
						first = false
						together.Done()
						together.Wait()
					}
					if chosen && (round%2 == 0 || p.HasBest) {
						cancel()
					}
				})
				if !chosen {
					got, err := session.Schedule(ctx, plain)
					if err != nil || !bytes.Equal(got, want) {
						errs <- fmt.Errorf("a call that nobody cancelled: %v", err)
					}
					return
				}
				response, err := session.Schedule(ctx, endless())
				if round%2 == 0 && !errors.Is(err, context.Canceled) {
					errs <- fmt.Errorf("cancelled with nothing in hand: %v", err)
				}
				if round%2 == 1 && (err != nil || uintOf(t, response, responseScheduleCancelled) != 1) {
					errs <- fmt.Errorf("cancelled with an answer in hand: %v", err)
				}
			}(goroutine == round)
		}
		done.Wait()
		close(errs)
		for err := range errs {
			t.Error(err)
		}
	}
}

// The same by a canceller outside, with neither callbacks nor order in time.
func TestCancelFromOutside(t *testing.T) {
	session := newSession(t, torqsched.Options{})
	small := request(chains(3))
	want := mustSchedule(t, session, small)
	var done sync.WaitGroup
	ctx, cancel := context.WithCancel(background)
	for goroutine := 0; goroutine < 2; goroutine++ {
		done.Add(1)
		go func() {
			defer done.Done()
			response, err := session.Schedule(ctx, endless())
			if err == nil && uintOf(t, response, responseScheduleCancelled) != 1 || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled, but %v", err)
			}
		}()
	}
	for goroutine := 0; goroutine < 6; goroutine++ {
		done.Add(1)
		go func() {
			defer done.Done()
			mine, cancelMine := context.WithCancel(background)
			defer cancelMine()
			for i := 0; i < 300; i++ {
				if got, err := session.Schedule(mine, small); err != nil || !bytes.Equal(got, want) {
					t.Errorf("not cancelled, but %v", err)
					return
				}
			}
		}()
	}
	time.Sleep(20 * time.Millisecond)
	cancel()
	done.Wait()
}
