// Package torqsched calls libtorqsched: the order of an accelerator's control stream, decided
// outside the compiler.
//
// A request and its response are serialized protobuf messages of package torqsched.v1; the .proto
// files lie beside the C header, in torqsched/v1/. Package wire reads and writes the few fields that
// a small host needs; any protobuf runtime reads and writes all of them.
//
//	var session *torqsched.Session // nil: the defaults
//	response, err := session.Schedule(ctx, request)
//	var failure *torqsched.Error
//	if errors.As(err, &failure) {
//		return fmt.Errorf("op %d: %w", failure.Op, err)
//	}
//
// # Requests and responses
//
// The library reads a request where it lies: no copy is made of it, and nothing of it is kept after
// the call. A response is copied once, into memory of Go, and the caller's to keep. A request must
// not be written to while a call reads it. Times are cycles of the stream's clock, sizes are bytes.
//
// # Contexts
//
// A call whose context is done before it begins does not begin. Schedule, Allocate and, with
// options.tuning, Lower then look at their context wherever the library reports progress. Where the
// context is done by then,
//
//   - and a valid answer is in hand, the error is nil and the response is that answer, with its
//     field cancelled set (23 of a ScheduleResponse, 10 of an AllocateResponse, 7 of a
//     LowerResponse's tuning): whoever needs the full search looks at that field, or at ctx.Err();
//   - else the error is an *Error that wraps ctx.Err(), so errors.Is(err, context.Canceled) holds.
//
// Simulate, PlanResidency, PlanWarm, JudgeWarm, PlanTiles, Verify, and Lower without tuning cannot be
// cancelled once they have begun. Cancelling one call of a session leaves all other calls alone.
//
// # Callbacks
//
// Options has the callbacks of a session. They run on the goroutine of their call, one at a time
// within it; a session that serves several goroutines is called by all of them at once. A callback
// may call other sessions, nil among them, but not its own: that is CodeFailedPrecondition. It may
// close its session.
//
// The context that a callback gets has the values of its call's, by which it knows the call, but is
// never done: an oracle that gave up for such a reason would take the answer in hand with it.
//
// A panic in a callback does not cross the library: the call ends as soon as the library asks the
// next callback that can stop it, its answer is dropped, and the call panics with a *CallbackPanic
// that has the value and the stack. A callback must return or panic: one that ends its goroutine
// (runtime.Goexit, and so testing.T.FailNow and Skip) would leave the library half way, and ends the
// program instead.
//
// # Linking
//
// The package links libtorqsched.a, found by CGO_CFLAGS and CGO_LDFLAGS unless it lies where the C
// compiler looks anyway; README.md has the lines. With the build tag torqsched_pkgconfig it links
// what pkg-config says instead.
package torqsched
