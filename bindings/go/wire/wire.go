// Package wire reads and writes the top-level fields of serialized protobuf messages, by their
// numbers in the .proto files: enough for a host that builds a request around a stream and looks at
// a few fields of the response, without a protobuf runtime. It trusts no byte.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrMalformed is what all errors of this package wrap.
var ErrMalformed = errors.New("wire: malformed message")

// Type is how the value of a field is written.
type Type uint8

// The types of fields. Groups, which proto3 does not have, are skipped.
const (
	// Varint is an integer, a bool or an enum.
	Varint Type = 0
	// Fixed64 is a double, or an integer of always 8 bytes.
	Fixed64 Type = 1
	// Bytes is a string, bytes, a message, or a packed list of numbers.
	Bytes Type = 2
	// Fixed32 is a float, or an integer of always 4 bytes.
	Fixed32 Type = 5

	startGroup Type = 3
	endGroup   Type = 4
)

// MaxNumber is the largest number that a field may have; the smallest is 1.
const MaxNumber = 1<<29 - 1

const maxGroupDepth = 100

// Field is one field of a message.
type Field struct {
	// Number is the field's number, 1 to MaxNumber.
	Number int
	// Type says which of the two below is set.
	Type Type
	// Value is what a Varint, Fixed64 or Fixed32 holds.
	Value uint64
	// Bytes is what a Bytes holds: a part of the message, not a copy.
	Bytes []byte
}

// A Reader goes through the fields of a message, in the order in which they were written:
//
//	for reader.Next() {
//		field := reader.Field()
//	}
//	if reader.Err() != nil { ... }
type Reader struct {
	message []byte
	offset  int
	field   Field
	err     error
}

// NewReader begins at the first field of a message, which must not change while it is read.
func NewReader(message []byte) *Reader { return &Reader{message: message} }

// Field is what the last call of Next found.
func (r *Reader) Field() Field { return r.field }

// Err is why Next found no more although there are bytes left, an ErrMalformed; nil at the end of
// the message.
func (r *Reader) Err() error { return r.err }

// Next goes on to the next field. False: there is none, or it is malformed.
func (r *Reader) Next() bool {
	for r.err == nil && r.offset < len(r.message) {
		number, kind := r.tag()
		switch {
		case kind == startGroup:
			r.skipGroup(number)
			continue
		case kind == endGroup:
			r.fail("the end of a group that did not begin")
		default:
			r.field = r.value(number, kind)
		}
		return r.err == nil
	}
	return false
}

func (r *Reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: byte %d: %s", ErrMalformed, r.offset, what)
	}
}

func (r *Reader) varint() uint64 {
	value, size := binary.Uvarint(r.message[r.offset:])
	if size <= 0 {
		r.fail("an integer that does not end, or is larger than 64 bits")
		return 0
	}
	r.offset += size
	return value
}

func (r *Reader) tag() (number int, kind Type) {
	tag := r.varint()
	if r.err == nil && (tag>>3 == 0 || tag>>3 > MaxNumber) {
		r.fail("a field number out of range")
	}
	return int(tag >> 3), Type(tag & 7)
}

// take is the next bytes of the message, without a copy.
func (r *Reader) take(size uint64) []byte {
	if r.err == nil && size > uint64(len(r.message)-r.offset) {
		r.fail("a field that is longer than the message")
	}
	if r.err != nil {
		return nil
	}
	begin, end := r.offset, r.offset+int(size)
	r.offset = end
	return r.message[begin:end:end] // appending to it must not write on the message
}

func (r *Reader) value(number int, kind Type) Field {
	field := Field{Number: number, Type: kind}
	switch kind {
	case Varint:
		field.Value = r.varint()
	case Fixed64:
		if bytes := r.take(8); bytes != nil {
			field.Value = binary.LittleEndian.Uint64(bytes)
		}
	case Fixed32:
		if bytes := r.take(4); bytes != nil {
			field.Value = uint64(binary.LittleEndian.Uint32(bytes))
		}
	case Bytes:
		field.Bytes = r.take(r.varint())
	default:
		r.fail("a field of unknown type")
	}
	return field
}

// skipGroup skips what follows the begin of a group, up to its end, without recursion.
func (r *Reader) skipGroup(number int) {
	open := []int{number}
	for r.err == nil && len(open) > 0 {
		if r.offset == len(r.message) {
			r.fail("a group that does not end")
			return
		}
		inner, kind := r.tag()
		switch {
		case r.err != nil:
		case kind == startGroup && len(open) == maxGroupDepth:
			r.fail("groups too deep in one another")
		case kind == startGroup:
			open = append(open, inner)
		case kind == endGroup && inner != open[len(open)-1]:
			r.fail("the end of another group")
		case kind == endGroup:
			open = open[:len(open)-1]
		default:
			r.value(inner, kind)
		}
	}
}

// Uint is the value of a field that is an integer, a bool (0 or 1) or an enum: of several the last,
// as protobuf has it. present is false, and value 0, where there is none.
func Uint(message []byte, number int) (value uint64, present bool, err error) {
	reader := NewReader(message)
	for reader.Next() {
		if field := reader.Field(); field.Number == number && field.Type == Varint {
			value, present = field.Value, true
		}
	}
	if reader.Err() != nil {
		return 0, false, reader.Err()
	}
	return value, present, nil
}

// Message is the bytes of a field that is a message, a string or bytes: of several the last (which
// for messages is not what protobuf has, it would merge them; no library writes several). It is a
// part of the message, not a copy. present is false where there is none.
func Message(message []byte, number int) (value []byte, present bool, err error) {
	reader := NewReader(message)
	for reader.Next() {
		if field := reader.Field(); field.Number == number && field.Type == Bytes {
			value, present = field.Bytes, true
		}
	}
	if reader.Err() != nil {
		return nil, false, reader.Err()
	}
	return value, present, nil
}

// Uints is a list of integers, packed or not. Empty where there is none.
func Uints(message []byte, number int) ([]uint64, error) {
	var list []uint64
	reader := NewReader(message)
	for reader.Next() {
		field := reader.Field()
		if field.Number != number {
			continue
		}
		if field.Type == Varint {
			list = append(list, field.Value)
		}
		if field.Type == Bytes {
			packed := NewReader(field.Bytes)
			for packed.err == nil && packed.offset < len(packed.message) {
				list = append(list, packed.varint())
			}
			if packed.err != nil {
				return nil, packed.err
			}
		}
	}
	if reader.Err() != nil {
		return nil, reader.Err()
	}
	return list, nil
}

// AppendUint appends a field that is an integer, a bool (0 or 1) or an enum, also where it is 0.
func AppendUint(message []byte, number int, value uint64) []byte {
	return binary.AppendUvarint(appendTag(message, number, Varint), value)
}

// AppendBytes appends a field that is a message or bytes.
func AppendBytes(message []byte, number int, value []byte) []byte {
	message = binary.AppendUvarint(appendTag(message, number, Bytes), uint64(len(value)))
	return append(message, value...)
}

// AppendString appends a field that is a string.
func AppendString(message []byte, number int, value string) []byte {
	message = binary.AppendUvarint(appendTag(message, number, Bytes), uint64(len(value)))
	return append(message, value...)
}

// AppendUints appends a packed list of integers.
func AppendUints(message []byte, number int, list []uint64) []byte {
	var packed []byte
	for _, value := range list {
		packed = binary.AppendUvarint(packed, value)
	}
	return AppendBytes(message, number, packed)
}

// appendTag panics where the number is none: it is a constant of the caller's.
func appendTag(message []byte, number int, kind Type) []byte {
	if number < 1 || number > MaxNumber {
		panic(fmt.Sprintf("wire: %d is no number of a field", number))
	}
	return binary.AppendUvarint(message, uint64(number)<<3|uint64(kind))
}
