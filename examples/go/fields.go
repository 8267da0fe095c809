package main

import (
	"fmt"

	"libtorqsched/go/torqsched"
	"libtorqsched/go/wire"
)

// What the library writes, and requests that it took, are well-formed: no errors to look at.
func uintOf(message []byte, number int) uint64 {
	value, _, _ := wire.Uint(message, number)
	return value
}

func messageOf(message []byte, number int) []byte {
	value, _, _ := wire.Message(message, number)
	return value
}

// line is what a call of the library gave up with: all its failures are of one type.
func line(err error) string {
	if failure, ok := err.(*torqsched.Error); ok {
		return fmt.Sprintf("%v: %s", failure.Code, failure.Message)
	}
	return fmt.Sprint(err)
}
