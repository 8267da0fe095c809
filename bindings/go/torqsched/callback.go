package torqsched

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"time"
	"unsafe"
)

// A call is what callbacks need to know of the call that they run in. They run on its goroutine, so
// nothing here is locked.
type call struct {
	ctx     context.Context // the caller's
	values  context.Context // what callbacks get of it
	options *Options

	stopped  error // why torqschedGoProgress stopped the call
	refused  error // what Options.Oracle returned
	panicked *CallbackPanic
}

// A detached context has the values of another, and is never done.
type detached struct{ context.Context }

func (detached) Deadline() (deadline time.Time, ok bool) { return }
func (detached) Done() <-chan struct{}                   { return nil }
func (detached) Err() error                              { return nil }

// causeOf is what made a callback end the call with this code; nil where it was the library.
func (c *call) causeOf(code Code) error {
	switch code {
	case CodeCancelled:
		return c.stopped
	case CodeAborted:
		return c.refused
	}
	return nil
}

// run calls one callback, and does not let a panic out into C.
func (c *call) run(name string, callback func() error) (err error) {
	if c.panicked != nil {
		return c.panicked // it is over, only the library does not know yet
	}
	returned := false
	defer func() {
		// Not asked is whether recover returns nil: it does so for panic(nil), too.
		if !returned {
			c.panicked = &CallbackPanic{name, recover(), debug.Stack()}
			err = c.panicked
		}
	}()
	err = callback()
	returned = true
	return err
}

//export torqschedGoLog
func torqschedGoLog(handle C.uintptr_t, level C.int32_t, message *C.char) {
	c := cgo.Handle(handle).Value().(*call)
	_ = c.run("Log", func() error {
		c.options.Log(c.values, LogLevel(level), C.GoString(message))
		return nil
	})
}

//export torqschedGoProgress
func torqschedGoProgress(handle C.uintptr_t, fraction C.double, bestMakespan C.uint64_t, hasBest C.int32_t) C.int {
	c := cgo.Handle(handle).Value().(*call)
	c.stopped = c.run("Progress", func() error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if c.options.Progress == nil {
			return nil
		}
		progress := Progress{float64(fraction), hasBest != 0, uint64(bestMakespan)}
		if err := c.options.Progress(c.values, progress); err != nil {
			return err
		}
		return c.ctx.Err() // the callback may have cancelled it
	})
	return cBool(c.stopped != nil)
}

//export torqschedGoOracle
func torqschedGoOracle(handle C.uintptr_t, request unsafe.Pointer, size C.size_t, response *C.torqsched_buffer) C.int {
	c := cgo.Handle(handle).Value().(*call)
	c.refused = c.run("Oracle", func() error {
		answer, err := c.options.Oracle(c.values, C.GoBytes(request, C.int(size)))
		if err != nil || len(answer) == 0 {
			return err
		}
		code := C.torqsched_buffer_assign(response, unsafe.Pointer(&answer[0]), C.size_t(len(answer)))
		if code != C.TORQSCHED_OK {
			return fmt.Errorf("%d bytes from Options.Oracle: %v", len(answer), Code(code))
		}
		return nil
	})
	return cBool(c.refused != nil)
}

// dieOfGoexit ends the program, whose thread has lost the C frames of a call: the library would
// walk over what is left of them. A goroutine of its own panics, so that nobody can recover.
func dieOfGoexit() {
	go panic("torqsched: a callback ended its goroutine inside of a call (runtime.Goexit, " +
		"testing.T.FailNow); it must return or panic")
	select {}
}
