package wire

import (
	"bytes"
	"errors"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

// message has a field of every type, a number of every length, and a list in both ways.
func message() []byte {
	m := AppendUint(nil, 1, 0)
	m = AppendUint(m, 2, 300)
	m = AppendBytes(m, 3, []byte{1, 2, 3})
	m = AppendString(m, 4, "text")
	m = AppendUints(m, 5, []uint64{0, 1, math.MaxUint64})
	m = AppendUint(m, 5, 7)
	m = append(m, 6<<3|1, 1, 0, 0, 0, 0, 0, 0, 0x80)
	m = append(m, 7<<3|5, 1, 0, 0, 0x80)
	m = append(m, 8<<3|3, 1<<3|3, 2<<3|0, 5, 1<<3|4, 8<<3|4) // a group in a group
	m = AppendUint(m, 2, math.MaxUint64)
	return AppendUint(m, MaxNumber, 9)
}

func TestReader(t *testing.T) {
	var fields []Field
	reader := NewReader(message())
	for reader.Next() {
		fields = append(fields, reader.Field())
	}
	if reader.Err() != nil || reader.Next() {
		t.Fatal(reader.Err())
	}
	want := []Field{
		{1, Varint, 0, nil},
		{2, Varint, 300, nil},
		{3, Bytes, 0, []byte{1, 2, 3}},
		{4, Bytes, 0, []byte("text")},
		{5, Bytes, 0, append([]byte{0, 1}, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1)},
		{5, Varint, 7, nil},
		{6, Fixed64, 1<<63 + 1, nil},
		{7, Fixed32, 1<<31 + 1, nil},
		{2, Varint, math.MaxUint64, nil},
		{MaxNumber, Varint, 9, nil},
	}
	if !reflect.DeepEqual(fields, want) {
		t.Errorf("got %v\nwant %v", fields, want)
	}
}

func TestLookups(t *testing.T) {
	if value, present, err := Uint(message(), 2); value != math.MaxUint64 || !present || err != nil {
		t.Error("of several the last counts:", value, present, err)
	}
	if value, present, err := Uint(message(), 1); value != 0 || !present || err != nil {
		t.Error("0 is present:", value, present, err)
	}
	for _, absent := range []int{3, 9, MaxNumber - 1} { // 3 is of another type
		if value, present, err := Uint(message(), absent); value != 0 || present || err != nil {
			t.Error(absent, value, present, err)
		}
	}
	if value, present, err := Message(message(), 4); string(value) != "text" || !present || err != nil {
		t.Error(value, present, err)
	}
	if value, present, err := Message(message(), 2); value != nil || present || err != nil {
		t.Error(value, present, err)
	}
	if value, present, err := Message(AppendBytes(nil, 1, nil), 1); len(value) != 0 || !present || err != nil {
		t.Error("an empty message is present:", value, present, err)
	}
	if list, err := Uints(message(), 5); !reflect.DeepEqual(list, []uint64{0, 1, math.MaxUint64, 7}) || err != nil {
		t.Error(list, err)
	}
	if list, err := Uints(message(), 9); list != nil || err != nil {
		t.Error(list, err)
	}
}

// What is read is a part of the message; appending to it must not write on what follows.
func TestAppendingToAField(t *testing.T) {
	m := message()
	part, _, _ := Message(m, 3)
	_ = append(part, 99)
	if !bytes.Equal(m, message()) {
		t.Error("the message has changed")
	}
}

func TestMalformed(t *testing.T) {
	group := string(rune(1<<3 | 3))
	for name, bad := range map[string]string{
		"tag cut short":           "\x80",
		"integer cut short":       "\x08\x80",
		"no integer":              "\x08",
		"integer of 65 bits":      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"integer of 11 bytes":     "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
		"field 0":                 "\x00\x01",
		"field 2^29":              "\x80\x80\x80\x80\x10\x01",
		"type 6":                  "\x0e\x00",
		"type 7":                  "\x0f\x00",
		"longer than the message": "\x0a\x05abc",
		"2^63 bytes":              "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
		"2^64 - 1 bytes":          "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"no length":               "\x0a",
		"8 bytes cut short":       "\x09abcdefg",
		"4 bytes cut short":       "\x0dabc",
		"end without a group":     "\x0c",
		"group without an end":    "\x0b\x08\x01",
		"end of another group":    "\x0b\x14",
		"bad bytes in a group":    "\x0b\x0e\x0c",
		"too many groups":         strings.Repeat(group, 101) + strings.Repeat("\x0c", 101),
	} {
		reader := NewReader([]byte(bad))
		for reader.Next() {
			t.Errorf("%s: found %v", name, reader.Field())
		}
		if !errors.Is(reader.Err(), ErrMalformed) {
			t.Errorf("%s: %v", name, reader.Err())
		}
		if reader.Next() {
			t.Errorf("%s: goes on", name)
		}
		// What stands before it counts for nothing.
		bad := append(message(), bad...)
		if _, present, err := Uint(bad, 2); present || err == nil {
			t.Errorf("%s: an integer", name)
		}
		if _, present, err := Message(bad, 3); present || err == nil {
			t.Errorf("%s: a message", name)
		}
		if list, err := Uints(bad, 5); list != nil || err == nil {
			t.Errorf("%s: a list", name)
		}
	}
	if list, err := Uints(AppendBytes(nil, 1, []byte{1, 0x80}), 1); list != nil || err == nil {
		t.Error("a list that is cut short:", list)
	}
	deepest := strings.Repeat(group, 100) + strings.Repeat("\x0c", 100)
	if reader := NewReader([]byte(deepest)); reader.Next() || reader.Err() != nil {
		t.Error(reader.Err())
	}
}

func TestNumbersAreChecked(t *testing.T) {
	for _, number := range []int{-1, 0, MaxNumber + 1, math.MaxInt64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d is a number of a field", number)
				}
			}()
			AppendUint(nil, number, 1)
		}()
	}
}

// read reads all that there is, and must end without a panic.
func read(t *testing.T, message []byte) {
	total := 0
	reader := NewReader(message)
	for reader.Next() {
		field := reader.Field()
		total += len(field.Bytes) + 1
		if field.Number < 1 || field.Number > MaxNumber || total > len(message) {
			t.Fatalf("%q: %v", message, field)
		}
		if _, err := Uints(message, field.Number); err != nil && reader.Err() == nil && field.Type == Varint && !errors.Is(err, ErrMalformed) {
			t.Fatalf("%q: %v", message, err)
		}
	}
}

func TestDamagedMessages(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	good := message()
	for end := range good {
		read(t, good[:end])
	}
	for i := 0; i < 20000; i++ {
		bad := append([]byte(nil), good...)
		for changes := random.Intn(4); changes >= 0; changes-- {
			bad[random.Intn(len(bad))] = byte(random.Intn(256))
		}
		read(t, bad)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(message())
	f.Fuzz(func(t *testing.T, message []byte) { read(t, message) })
}
