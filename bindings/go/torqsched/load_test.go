package torqsched_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"libtorqsched/go/internal/cloop"
	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire"
)

// Eight goroutines on one session, 10,000 calls each, and the same bytes each time.
func TestManyCalls(t *testing.T) {
	const calls = 10000
	session := newSession(t, torqsched.Options{ReuseArenas: true})
	small := request(chains(2))
	want := mustSchedule(t, session, small)
	begin := time.Now()
	var done sync.WaitGroup
	for goroutine := 0; goroutine < 8; goroutine++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := 0; i < calls; i++ {
				got, err := session.Schedule(background, small)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("call %d: %v, or other bytes", i, err)
					return
				}
			}
		}()
	}
	done.Wait()
	t.Logf("8 goroutines, %d calls each, in %v", calls, time.Since(begin).Round(time.Millisecond))
}

// unknownField is one that the library skips.
const unknownField = 1000

// allocated is how many bytes of Go f takes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// No copy is made of a request: calls with a request of 16 bytes and with one of a MiB take as many
// bytes of Go, far less than the difference.
func TestRequestIsNotCopied(t *testing.T) {
	const calls, large = 20, 1 << 20
	sizes := map[int]uint64{}
	for _, size := range []int{16, large} {
		padded := wire.AppendBytes(emptyStream[:2:2], unknownField, make([]byte, size))
		mustSchedule(t, nil, padded)
		sizes[size] = allocated(func() {
			for i := 0; i < calls; i++ {
				mustSchedule(t, nil, padded)
			}
		}) / calls
	}
	t.Logf("bytes of Go a call: %d with 16 bytes of request, %d with a MiB", sizes[16], sizes[large])
	if sizes[large] > sizes[16]+large/100 {
		t.Error("more for a larger request")
	}
}

// Answers, errors, panics, cancelled calls and sessions, over and over: none of them leaves memory
// of the library behind, not one byte a round.
func TestNothingLeaks(t *testing.T) {
	const rounds = 3000
	cancelled, cancel := context.WithCancel(background)
	cancel()
	panics := context.WithValue(background, contextKey{}, "panic")
	stops := context.WithValue(background, contextKey{}, "stop")
	round := func() {
		session, err := torqsched.NewSession(torqsched.Options{
			ReuseArenas: true,
			Progress: func(ctx context.Context, progress torqsched.Progress) error {
				switch ctx.Value(contextKey{}) {
				case "panic":
					if progress.HasBest {
						panic("progress")
					}
				case "stop":
					return errors.New("stop")
				}
				return nil
			},
			Oracle: price,
		})
		if err != nil {
			t.Fatal(err)
		}
		mustSchedule(t, session, hostless)
		mustSchedule(t, session, hostRequest(2))
		session.Schedule(background, []byte{0xff})
		session.Schedule(cancelled, hostless)
		session.Schedule(stops, hostless)
		panicOf(func() { session.Schedule(panics, hostless) })
		if _, err := torqsched.NewSession(torqsched.Options{WorkerThreads: 5000}); err == nil {
			t.Fatal("too many threads")
		}
		session.Close()
	}
	runtime.LockOSThread() // malloc holds some memory back for each thread
	defer runtime.UnlockOSThread()
	for i := 0; i < 100; i++ {
		round()
	}
	before := cloop.HeapBytes()
	for i := 0; i < rounds; i++ {
		round()
	}
	grown := cloop.HeapBytes() - before
	t.Logf("the heap of C has grown by %d bytes over %d rounds", grown, rounds)
	if grown > 20*rounds {
		t.Errorf("grown by %d bytes over %d rounds", grown, rounds)
	}
}

// A session that nobody closes is freed by the garbage collector, also where its callbacks use it.
func TestFinalizer(t *testing.T) {
	large := request(chains(2000))
	use := func() {
		var session *torqsched.Session
		session, err := torqsched.NewSession(torqsched.Options{
			ReuseArenas: true,
			Progress:    func(context.Context, torqsched.Progress) error { return session.Close() },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.Simulate(background, large); err != nil {
			t.Fatal(err)
		}
	}
	use()
	before := cloop.HeapBytes()
	const sessions = 50
	for i := 0; i < sessions; i++ {
		use()
	}
	held := cloop.HeapBytes() - before
	for i := 0; i < 100 && cloop.HeapBytes() > before; i++ {
		runtime.GC() // begins finalizers, and does not wait for them
		time.Sleep(10 * time.Millisecond)
	}
	left := cloop.HeapBytes() - before
	t.Logf("%d sessions held up to %d KiB; %d KiB are left", sessions, held/1024, left/1024)
	if left > 1<<20 {
		t.Errorf("%d bytes are left", left)
	}
}

func benchmark(b *testing.B, ctx context.Context, session *torqsched.Session, request []byte) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := session.Schedule(ctx, request); err != nil {
			b.Fatal(err)
		}
	}
}

// What calls cost in Go that do next to nothing in the library.
func BenchmarkEmptyStream(b *testing.B) {
	cancellable, cancel := context.WithCancel(background)
	defer cancel()
	plain := newSession(b, torqsched.Options{WorkerThreads: 1})
	noted := newSession(b, torqsched.Options{
		WorkerThreads: 1,
		Progress:      func(context.Context, torqsched.Progress) error { return nil },
	})
	b.Run("Plain", func(b *testing.B) { benchmark(b, background, plain, emptyStream) })
	b.Run("Cancellable", func(b *testing.B) { benchmark(b, cancellable, plain, emptyStream) })
	b.Run("Progress", func(b *testing.B) { benchmark(b, background, noted, emptyStream) })
}

// What Go adds to such a call, by turns of as many calls in a loop of C and in one of Go. The least
// turn of each counts: other work on the machine makes the others longer.
func BenchmarkOverhead(b *testing.B) {
	const calls = 200
	plain := newSession(b, torqsched.Options{WorkerThreads: 1})
	cancellable, cancel := context.WithCancel(background)
	defer cancel()
	inGo := func(ctx context.Context) func() {
		return func() {
			for call := 0; call < calls; call++ {
				plain.Schedule(ctx, emptyStream)
			}
		}
	}
	turns := []struct {
		unit string
		run  func()
	}{
		{"C-ns/call", func() { cloop.Schedule(calls, emptyStream) }},
		{"Go-ns/call", inGo(background)},
		{"Go-cancellable-ns/call", inGo(cancellable)},
	}
	least := make([]time.Duration, len(turns))
	for i := 0; i < b.N; i++ {
		for turn := range turns {
			begin := time.Now()
			turns[turn].run()
			if took := time.Since(begin); i == 0 || took < least[turn] {
				least[turn] = took
			}
		}
	}
	b.ReportMetric(0, "ns/op") // of all turns together: says nothing
	for turn := range turns {
		b.ReportMetric(float64(least[turn].Nanoseconds())/calls, turns[turn].unit)
	}
}
