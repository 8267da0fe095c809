package torqsched

// #include "shim.h"
import "C"

import (
	"context"
	"runtime"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Options is what a session is made from. The zero value is the defaults.
type Options struct {
	// MemoryLimitBytes is how many bytes one call may take, by the estimate that torqsched.h states.
	// 0: no limit.
	MemoryLimitBytes uint64
	// WorkerThreads is for calls to come: those of this version work on the caller's thread. At most
	// 1024. 0: the library chooses.
	WorkerThreads uint32
	// ReuseArenas keeps the memory of messages for later calls, up to 8 blocks of at most 64 MiB,
	// until the session is closed. Worth it for many small calls.
	ReuseArenas bool

	// Log gets what calls remark while they work, one line without its end: for people, and not for
	// parsing. Nil: remarks are dropped.
	Log func(ctx context.Context, level LogLevel, message string)
	// Progress is told now and then how far Schedule, Allocate and, with options.tuning, Lower are. An
	// error stops the call, and Progress is not asked again: the call answers with the best that it
	// has, marked cancelled, or, where it has nothing, with an *Error of CodeCancelled that wraps the
	// error. Nil: calls are cancelled by their contexts only.
	Progress func(ctx context.Context, progress Progress) error
	// Oracle is the host's own allocator, for requests whose options.oracle is ORACLE_HOST. request
	// is a serialized torqsched.v1.OracleRequest, the callback's to keep; the result is a serialized
	// torqsched.v1.OracleResponse, also where the answer is that the order cannot be placed. An
	// error gives the call up: it returns an *Error of CodeAborted that wraps the error. Nil: such
	// requests fail.
	Oracle func(ctx context.Context, request []byte) (response []byte, err error)
}

// LogLevel says how much a remark matters.
type LogLevel int32

// The levels of remarks, in ascending order.
const (
	LogDebug   LogLevel = C.TORQSCHED_LOG_DEBUG
	LogInfo    LogLevel = C.TORQSCHED_LOG_INFO
	LogWarning LogLevel = C.TORQSCHED_LOG_WARNING
	LogError   LogLevel = C.TORQSCHED_LOG_ERROR
)

// Progress is how far a call is.
type Progress struct {
	// Fraction is how much of the work is done, 0 to 1; never less than before in one call.
	Fraction float64
	// HasBest says that an order is in hand.
	HasBest bool
	// BestMakespan is what it takes, cycles. 0 unless HasBest is set.
	BestMakespan uint64
}

// A Session has the settings that calls share. It may serve any number of goroutines at once. A nil
// *Session, and the zero Session, is the defaults: no limits, no callbacks, and nothing to close.
type Session struct {
	native  *native
	options Options
}

// A native is a session of the library's. It has the finalizer, and not the Session: that is a part
// of a cycle as soon as one of its callbacks uses it, and cycles with a finalizer are never freed.
type native struct {
	pointer *C.torqsched_session

	// The library forbids to free a session that a call uses: the last of its users does it. Users
	// are the calls in progress and, until it is closed, the session itself.
	users  atomic.Int64
	closed atomic.Bool
}

// NewSession makes a session. Close it to free its memory at once; the garbage collector frees it
// otherwise, some time after it was used last.
func NewSession(options Options) (*Session, error) {
	if err := checkABI(); err != nil {
		return nil, err
	}
	var reuseArenas C.uint32_t
	if options.ReuseArenas {
		reuseArenas = 1
	}
	answer := C.torqsched_go_new(cBool(options.Log != nil), cBool(options.Oracle != nil),
		C.uint64_t(options.MemoryLimitBytes), C.uint32_t(options.WorkerThreads), reuseArenas)
	if answer.code != C.TORQSCHED_OK {
		return nil, newError(answer.code, takeBytes(answer.buffer), nil)
	}
	n := &native{pointer: answer.session}
	n.users.Store(1)
	runtime.SetFinalizer(n, (*native).close)
	return &Session{n, options}, nil
}

// Close ends a session: calls to come fail with ErrClosed, those in progress go on to their end, and
// the last of them frees it. It may be called at any time, any number of times, and on nil. The
// error is always nil.
func (s *Session) Close() error {
	if !s.isDefault() {
		s.native.close()
	}
	return nil
}

func (n *native) close() {
	if !n.closed.Swap(true) {
		runtime.SetFinalizer(n, nil)
		n.release()
	}
}

// acquire makes the caller a user, unless the session is closed.
func (n *native) acquire() bool {
	for {
		users := n.users.Load()
		if users == 0 || n.closed.Load() {
			return false
		}
		if n.users.CompareAndSwap(users, users+1) {
			return true
		}
	}
}

func (n *native) release() {
	if n.users.Add(-1) == 0 {
		C.torqsched_session_free(n.pointer)
	}
}

// Schedule orders a stream, gives every program a slice and every LRAM buffer an offset:
// torqsched.v1.ScheduleRequest to torqsched.v1.ScheduleResponse. The answer is never slower than the
// input order; where nothing better is found it is the input order.
func (s *Session) Schedule(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_SCHEDULE, true, request)
}

// Simulate prices one order of a stream without placing anything: torqsched.v1.SimulateRequest to
// torqsched.v1.SimulateResponse. It uses no callbacks.
func (s *Session) Simulate(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_SIMULATE, false, request)
}

// Allocate gives buffers whose live ranges are known their offsets in one memory, or proves that
// there are none: torqsched.v1.AllocateRequest to torqsched.v1.AllocateResponse. That nothing fits
// is no error: the response has the verdict. Of the callbacks it uses Progress.
func (s *Session) Allocate(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_ALLOCATE, true, request)
}

// PlanResidency says which tensors of programs, or of a network, the on-chip SRAM holds, and which of
// the others HBM does: torqsched.v1.PlanResidencyRequest to torqsched.v1.PlanResidencyResponse. It
// uses no callbacks: options.node_limit, and not the context, bounds the search of strategy OPTIMAL.
func (s *Session) PlanResidency(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_PLAN_RESIDENCY, false, request)
}

// PlanWarm says which regions of memory to pull into L2 before they are read, after which stage, and
// why not the others: torqsched.v1.PlanWarmRequest to torqsched.v1.PlanWarmResponse. It uses no
// callbacks: options.exact_combinations and options.search_stages, and not the context, bound the
// search.
func (s *Session) PlanWarm(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_PLAN_WARM, false, request)
}

// JudgeWarm says what measured rounds with and without a warm show, and whether to ship it:
// torqsched.v1.JudgeWarmRequest to torqsched.v1.JudgeWarmResponse. It uses no callbacks:
// options.resamples, and not the context, bounds the work.
func (s *Session) JudgeWarm(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_JUDGE_WARM, false, request)
}

// PlanTiles says which part of LRAM each tile loop of a function may use, and how its contractions are
// cut: torqsched.v1.PlanTilesRequest to torqsched.v1.PlanTilesResponse. It uses no callbacks.
func (s *Session) PlanTiles(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_PLAN_TILES, false, request)
}

// Lower makes a control stream of a network's table, tile by tile: torqsched.v1.LowerRequest to
// torqsched.v1.LowerResponse. With options.tuning it finds tile budgets by what they earn, and of the
// callbacks it then uses Progress; else options.most_programs, and not the context, bounds the work.
func (s *Session) Lower(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_LOWER, true, request)
}

// Verify checks an answer against its stream, or against the buffers that were to be placed,
// independently of what made it: torqsched.v1.VerifyRequest to torqsched.v1.VerifyResponse. A wrong
// answer is no error: the response lists the violations. It uses no callbacks.
func (s *Session) Verify(ctx context.Context, request []byte) (response []byte, err error) {
	return s.do(ctx, C.TORQSCHED_GO_VERIFY, false, request)
}

// do makes one call. callbacks says that the library may call back in it.
func (s *Session) do(ctx context.Context, which C.int, callbacks bool, request []byte) ([]byte, error) {
	if s.isDefault() {
		var err error
		if s, err = defaultSession(); err != nil {
			return nil, err
		}
	}
	if !s.native.acquire() {
		return nil, &Error{Code: CodeFailedPrecondition, Message: "the session is closed", cause: ErrClosed}
	}
	defer s.native.release()
	if err := ctx.Err(); err != nil {
		return nil, &Error{Code: CodeCancelled, Message: "not begun: " + err.Error(), cause: err}
	}
	if !callbacks || ctx.Done() == nil && !s.hasCallbacks() {
		answer := s.native.call(which, request, 0)
		response := takeBytes(answer.buffer)
		if answer.code != C.TORQSCHED_OK {
			return nil, newError(answer.code, response, nil)
		}
		return response, nil
	}

	c := &call{ctx: ctx, values: detached{ctx}, options: &s.options}
	handle := cgo.NewHandle(c)
	defer handle.Delete()
	returned := false
	defer func() {
		if !returned {
			dieOfGoexit()
		}
	}()
	answer := s.native.call(which, request, handle)
	returned = true
	response := takeBytes(answer.buffer)
	if c.panicked != nil {
		panic(c.panicked)
	}
	if answer.code != C.TORQSCHED_OK {
		return nil, newError(answer.code, response, c.causeOf(Code(answer.code)))
	}
	return response, nil
}

func (s *Session) isDefault() bool { return s == nil || s.native == nil }

func (s *Session) hasCallbacks() bool {
	return s.options.Log != nil || s.options.Progress != nil || s.options.Oracle != nil
}

// call hands the request to the library where it lies. That obeys cgo's rules for any slice: the
// argument is written as the address of an element, so that the bytes alone must hold no pointers
// of Go, and not all of the memory that they may be a part of.
func (n *native) call(which C.int, request []byte, handle cgo.Handle) C.torqsched_go_answer {
	size := len(request)
	if size == 0 {
		request = noBytes[:]
	}
	return C.torqsched_go_call(which, n.pointer, unsafe.Pointer(&request[0]), C.size_t(size),
		C.uintptr_t(handle))
}

// noBytes has the element whose address stands for that of an empty request.
var noBytes [1]byte

// takeBytes copies what the library answered, never to nil, and frees it.
func takeBytes(buffer C.torqsched_buffer) []byte {
	if buffer.size == 0 {
		return []byte{}
	}
	// The library answers at most 2^31 - 1 bytes.
	bytes := C.GoBytes(buffer.data, C.int(buffer.size))
	C.torqsched_go_free(buffer.data, buffer.size)
	return bytes
}

func cBool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

var defaults struct {
	once    sync.Once
	session *Session
	err     error
}

// defaultSession is what nil stands for. It is not the library's own NULL session, whose calls
// contexts could not cancel.
func defaultSession() (*Session, error) {
	defaults.once.Do(func() {
		defaults.session, defaults.err = NewSession(Options{})
	})
	return defaults.session, defaults.err
}
