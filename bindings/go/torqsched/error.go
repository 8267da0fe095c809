package torqsched

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"

	"libtorqsched/go/wire"
)

// Code is the kind of a failure, by the numbers of gRPC's status codes.
type Code int32

// The codes that this version of the library returns; a number that is none of them means the same
// as CodeUnknown.
const (
	// CodeOK is no failure; no *Error has it.
	CodeOK Code = C.TORQSCHED_OK
	// CodeCancelled says that a context or Options.Progress stopped the call before there was
	// anything to keep. The *Error wraps what ctx.Err() or the callback returned.
	CodeCancelled Code = C.TORQSCHED_CANCELLED
	// CodeUnknown is a failure of no known kind.
	CodeUnknown Code = C.TORQSCHED_UNKNOWN
	// CodeInvalidArgument says that the request, or an option, is at fault.
	CodeInvalidArgument Code = C.TORQSCHED_INVALID_ARGUMENT
	// CodeNotFound says that the hardware profile has no such name.
	CodeNotFound Code = C.TORQSCHED_NOT_FOUND
	// CodeResourceExhausted says that memory is short, that the session's limit is, or that a
	// request or a response is larger than 2^31 - 1 bytes.
	CodeResourceExhausted Code = C.TORQSCHED_RESOURCE_EXHAUSTED
	// CodeFailedPrecondition says that a callback called its own session, that the session is closed,
	// that a request asks for a host's oracle which the session does not have, or that the library
	// is of another version than the header that this package was compiled with.
	CodeFailedPrecondition Code = C.TORQSCHED_FAILED_PRECONDITION
	// CodeAborted says that Options.Oracle returned an error, which the *Error wraps.
	CodeAborted Code = C.TORQSCHED_ABORTED
	// CodeUnimplemented says that the request asks for what this version does not have.
	CodeUnimplemented Code = C.TORQSCHED_UNIMPLEMENTED
	// CodeInternal is a defect in the library, or in what Options.Oracle answered.
	CodeInternal Code = C.TORQSCHED_INTERNAL
)

// String is the code's name, such as "INVALID_ARGUMENT"; "UNKNOWN" for a number that is none.
func (c Code) String() string {
	return C.GoString(C.torqsched_code_name(C.torqsched_code(c)))
}

// ErrClosed is what the *Error of a call on a closed session wraps.
var ErrClosed = errors.New("torqsched: the session is closed")

// Error is why a call failed: the library's torqsched.v1.Error. All failures of this package are of
// type *Error.
type Error struct {
	// Code is the kind of the failure.
	Code Code
	// Message is one line for people. It names the place at fault by itself.
	Message string
	// Field is the path of the field at fault in the request, such as
	// "stream.ops[12].accesses[1].size". Empty: no one field is.
	Field string
	// HasOp says that one op is at fault.
	HasOp bool
	// Op is its position in the stream's ops, counted from 0. 0 unless HasOp is set.
	Op uint32
	// HasBuffer says that one buffer is at fault.
	HasBuffer bool
	// Buffer is its position in the stream's buffers, counted from 0. 0 unless HasBuffer is set.
	Buffer uint32

	cause error
}

// Error is the code and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("torqsched: %v: %s", e.Code, e.Message)
}

// Unwrap is what made the call fail from outside: ctx.Err(), what a callback returned, ErrClosed.
// Nil: the library itself said no.
func (e *Error) Unwrap() error { return e.cause }

// A CallbackPanic is what a call panics with where one of its callbacks panicked.
type CallbackPanic struct {
	// Callback is the field of Options that panicked, such as "Oracle".
	Callback string
	// Value is what it panicked with.
	Value any
	// Stack is the goroutine's stack at that time, as debug.Stack formats it.
	Stack []byte
}

// Error has the value and the stack, which a program that dies of the panic would not show
// otherwise.
func (p *CallbackPanic) Error() string {
	return fmt.Sprintf("torqsched: Options.%s panicked: %v\n\n%s", p.Callback, p.Value, p.Stack)
}

// Unwrap is the value, where that is an error.
func (p *CallbackPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Fields of torqsched.v1.Error. Its code is the one that the call returned.
const (
	errorMessageField = 2
	errorPathField    = 3
	errorOpField      = 4
	errorBufferField  = 5
)

// newError reads a serialized torqsched.v1.Error, which is empty where memory was short. cause may
// be nil.
func newError(code C.torqsched_code, message []byte, cause error) *Error {
	e := &Error{Code: Code(code), cause: cause}
	reader := wire.NewReader(message)
	for reader.Next() {
		switch field := reader.Field(); {
		case field.Number == errorMessageField && field.Type == wire.Bytes:
			e.Message = string(field.Bytes)
		case field.Number == errorPathField && field.Type == wire.Bytes:
			e.Field = string(field.Bytes)
		case field.Number == errorOpField && field.Type == wire.Varint:
			e.HasOp, e.Op = true, uint32(field.Value)
		case field.Number == errorBufferField && field.Type == wire.Varint:
			e.HasBuffer, e.Buffer = true, uint32(field.Value)
		}
	}
	if e.Message == "" {
		e.Message = "the library had no memory left to say more"
	}
	if cause != nil {
		e.Message += ": " + cause.Error()
	}
	return e
}
