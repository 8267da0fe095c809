//! Protobuf bytes without a protobuf crate: the top-level fields of a message, and a writer.
//!
//! Enough for a summary of an answer or for the answer of an oracle. A compiler that reads all of
//! the schema generates code from the `.proto` files instead; the bytes are the same.
//!
//! Nothing here recurses, allocates by what a length says, or panics: bytes that are no message
//! are [`Malformed`]. A sub-message is looked into by asking for it, one level at a time.
//!
//! ```
//! use torqsched::wire::{Message, Writer};
//!
//! // A torqsched.v1.ScheduleResponse has input_makespan in field 9 and lower_bound in field 15.
//! let bytes = Writer::new()
//!     .uint(9, 410)
//!     .bytes(15, &Writer::new().uint(1, 250).into_bytes())
//!     .into_bytes();
//! let response = Message::new(&bytes);
//! assert_eq!(response.uint(9)?, Some(410));
//! let lower_bound = response.message(15)?.unwrap_or_default();
//! assert_eq!(lower_bound.uint(1)?, Some(250));
//! assert_eq!(response.uint(8)?, None); // unset
//! # Ok::<(), torqsched::wire::Malformed>(())
//! ```

use std::fmt;

/// The largest field number that protobuf has.
const LARGEST_NUMBER: u64 = (1 << 29) - 1;

/// The bytes are not the message that they were read as: cut short, damaged, or a field has
/// another type than was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    at: usize,
}

impl Malformed {
    /// Where reading failed, bytes from the start of the message that was looked into.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "byte {}: not a protobuf message, or not of the expected type",
            self.at
        )
    }
}

impl std::error::Error for Malformed {}

/// What one field holds, as far as the bytes alone tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// An integer, a bool or an enum.
    Varint(u64),
    /// Eight bytes, little-endian.
    Fixed64(u64),
    /// A string, bytes, a sub-message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes, little-endian.
    Fixed32(u32),
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The number that the schema gives the field.
    pub number: u32,
    /// What it holds.
    pub value: Value<'a>,
    /// Where it begins, bytes from the start of the message.
    pub at: usize,
}

/// A serialized message, borrowed.
///
/// Where a field that is not repeated occurs several times, the last one counts, which is
/// protobuf's rule except for sub-messages (the library writes these once). Groups, which proto3
/// does not have, are [`Malformed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message<'a> {
    bytes: &'a [u8],
}

impl<'a> Message<'a> {
    /// A message of these bytes, which are not looked at yet.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Message { bytes }
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// All fields in the order of the bytes. After the first error there are no more.
    #[must_use]
    pub fn fields(&self) -> Fields<'a> {
        Fields {
            bytes: self.bytes,
            at: 0,
        }
    }

    /// A field that is an unsigned integer, a bool (0 or 1), or an enum's number. `None`: unset.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: the bytes are no message, or the field holds something else.
    pub fn uint(&self, number: u32) -> Result<Option<u64>, Malformed> {
        self.last(number, |value| match value {
            Value::Varint(value) => Some(value),
            _ => None,
        })
    }

    /// A field that is a bool; false where it is unset.
    ///
    /// # Errors
    ///
    /// Those of [`Message::uint`].
    pub fn flag(&self, number: u32) -> Result<bool, Malformed> {
        Ok(self.uint(number)?.unwrap_or(0) != 0)
    }

    /// A field that is a string, bytes or a sub-message, as bytes. `None`: unset.
    ///
    /// # Errors
    ///
    /// Those of [`Message::uint`].
    pub fn bytes(&self, number: u32) -> Result<Option<&'a [u8]>, Malformed> {
        self.last(number, |value| match value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// A field that is a string. `None`: unset.
    ///
    /// # Errors
    ///
    /// Those of [`Message::uint`], and where the string is not UTF-8.
    pub fn text(&self, number: u32) -> Result<Option<&'a str>, Malformed> {
        self.last(number, |value| match value {
            Value::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        })
    }

    /// A field that is a sub-message, which is not looked at yet. `None`: unset.
    ///
    /// # Errors
    ///
    /// Those of [`Message::uint`].
    pub fn message(&self, number: u32) -> Result<Option<Message<'a>>, Malformed> {
        Ok(self.bytes(number)?.map(Message::new))
    }

    /// A repeated field of sub-messages, none of which is looked at yet.
    ///
    /// # Errors
    ///
    /// Those of [`Message::uint`].
    pub fn messages(&self, number: u32) -> Result<Vec<Message<'a>>, Malformed> {
        let mut messages = Vec::new();
        self.each(number, |value| match value {
            Value::Bytes(bytes) => {
                messages.push(Message::new(bytes));
                Some(())
            }
            _ => None,
        })?;
        Ok(messages)
    }

    /// A repeated field of unsigned integers or enums, packed or not.
    ///
    /// # Errors
    ///
    /// Those of [`Message::uint`].
    pub fn uints(&self, number: u32) -> Result<Vec<u64>, Malformed> {
        let mut numbers = Vec::new();
        self.each(number, |value| match value {
            Value::Varint(value) => {
                numbers.push(value);
                Some(())
            }
            Value::Bytes(packed) => {
                let mut at = 0;
                while at < packed.len() {
                    numbers.push(take_varint(packed, &mut at)?);
                }
                Some(())
            }
            _ => None,
        })?;
        Ok(numbers)
    }

    /// Reads each occurrence of a field; the message is read to its end, damage behind the field
    /// included.
    fn each(
        &self,
        number: u32,
        mut read: impl FnMut(Value<'a>) -> Option<()>,
    ) -> Result<(), Malformed> {
        for field in self.fields() {
            let field = field?;
            if field.number == number {
                read(field.value).ok_or(Malformed { at: field.at })?;
            }
        }
        Ok(())
    }

    fn last<T>(
        &self,
        number: u32,
        read: impl Fn(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>, Malformed> {
        let mut last = None;
        self.each(number, |value| {
            last = Some(read(value)?);
            Some(())
        })?;
        Ok(last)
    }
}

/// The fields of a message in the order of its bytes: see [`Message::fields`].
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn read(&mut self) -> Option<Field<'a>> {
        let begin = self.at;
        let tag = take_varint(self.bytes, &mut self.at)?;
        let number = tag >> 3;
        if number == 0 || number > LARGEST_NUMBER {
            return None;
        }
        let value = match tag & 7 {
            0 => Value::Varint(take_varint(self.bytes, &mut self.at)?),
            1 => Value::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let size = take_varint(self.bytes, &mut self.at)?;
                Value::Bytes(self.take(usize::try_from(size).ok()?)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some(Field {
            number: number as u32,
            value,
            at: begin,
        })
    }

    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(size)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let begin = self.at;
        let field = self.read();
        if field.is_none() {
            self.at = self.bytes.len();
        }
        Some(field.ok_or(Malformed { at: begin }))
    }
}

impl std::iter::FusedIterator for Fields<'_> {}

/// Reads a varint from `*at` on. `None`: cut short, or more than 64 bits.
fn take_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Writes a message, field by field. Protobuf wants no order of fields; ascending numbers give
/// the bytes that a generated class gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A message without fields.
    #[must_use]
    pub fn new() -> Self {
        Writer::default()
    }

    /// Adds an unsigned integer, a bool (0 or 1) or an enum's number. It is written also where it
    /// is 0: leave out what is to be unset.
    #[must_use]
    pub fn uint(mut self, number: u32, value: u64) -> Self {
        self.put_tag(number, 0);
        self.put_varint(value);
        self
    }

    /// Adds a string, bytes or a serialized sub-message.
    #[must_use]
    pub fn bytes(mut self, number: u32, value: &[u8]) -> Self {
        self.put_tag(number, 2);
        self.put_varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    /// Adds repeated unsigned integers or enums, packed. No values: no bytes.
    #[must_use]
    pub fn uints(self, number: u32, values: impl IntoIterator<Item = u64>) -> Self {
        let mut packed = Writer::new();
        for value in values {
            packed.put_varint(value);
        }
        if packed.bytes.is_empty() {
            return self;
        }
        self.bytes(number, &packed.bytes)
    }

    /// The serialized message.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds a number unless it is 0, proto3's default.
    pub(crate) fn uint_unless_zero(self, number: u32, value: u64) -> Self {
        if value == 0 {
            self
        } else {
            self.uint(number, value)
        }
    }

    /// Adds a number where there is one.
    pub(crate) fn uint_if_set(self, number: u32, value: Option<u64>) -> Self {
        match value {
            None => self,
            Some(value) => self.uint(number, value),
        }
    }

    /// Adds a string unless it is empty, proto3's default.
    pub(crate) fn text_unless_empty(self, number: u32, value: &str) -> Self {
        if value.is_empty() {
            self
        } else {
            self.bytes(number, value.as_bytes())
        }
    }

    /// What was written so far.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds fields that are serialized already.
    pub(crate) fn raw(mut self, fields: &[u8]) -> Self {
        self.bytes.extend_from_slice(fields);
        self
    }

    fn put_tag(&mut self, number: u32, kind: u64) {
        self.put_varint(u64::from(number) << 3 | kind);
    }

    fn put_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 63, u64::MAX] {
            let bytes = Writer::new()
                .uint(1, value)
                .bytes(LARGEST_NUMBER as u32, b"text")
                .uints(3, [value, 7, value])
                .uints(4, [])
                .into_bytes();
            let message = Message::new(&bytes);
            assert_eq!(message.uint(1), Ok(Some(value)));
            assert_eq!(message.text(LARGEST_NUMBER as u32), Ok(Some("text")));
            assert_eq!(message.uints(3), Ok(vec![value, 7, value]));
            assert_eq!(message.uints(4), Ok(vec![]));
            assert_eq!(message.flag(1), Ok(value != 0));
        }
    }

    #[test]
    fn the_last_of_several_counts_and_repeated_ones_are_gathered() {
        let bytes = Writer::new()
            .uint(1, 5)
            .uint(1, 6)
            .uints(1, [7, 8])
            .bytes(2, &[])
            .bytes(2, b"x")
            .into_bytes();
        let message = Message::new(&bytes);
        assert_eq!(message.uints(1), Ok(vec![5, 6, 7, 8]));
        assert_eq!(message.bytes(2), Ok(Some(&b"x"[..])));
        assert_eq!(message.messages(2).unwrap().len(), 2);
    }

    #[test]
    fn fixed_numbers_are_passed_over() {
        let bytes = [0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0x15, 2, 0, 0, 0, 0x18, 3];
        let fields: Vec<_> = Message::new(&bytes).fields().collect();
        let expected = [
            (1, Value::Fixed64(1), 0),
            (2, Value::Fixed32(2), 9),
            (3, Value::Varint(3), 14),
        ];
        assert_eq!(
            fields,
            expected.map(|(number, value, at)| Ok(Field { number, value, at }))
        );
        assert_eq!(Message::new(&bytes).uint(1), Err(Malformed { at: 0 }));
        assert_eq!(Message::new(&bytes).bytes(3), Err(Malformed { at: 14 }));
    }

    #[test]
    fn bad_bytes_are_malformed() {
        let bad: [&[u8]; 12] = [
            &[0x00, 0x01],                                              // field 0
            &[0x08],                                                    // no value
            &[0x08, 0x80],                                              // half a value
            &[0x80],                                                    // half a tag
            &[0x0a, 0x02, 0x00],                                        // shorter than it says
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],                      // 4 GiB of it
            &[0x0b, 0x0c],                                              // a group
            &[0x0e],                                                    // wire type 6
            &[0x0d, 0, 0, 0],                                           // three of four bytes
            &[0x09, 0, 0, 0, 0, 0, 0, 0],                               // seven of eight
            &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0x02], // 65 bits
            &[0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0x01], // a length of 2^64 - 1
        ];
        for bytes in bad {
            assert_eq!(
                Message::new(bytes).uint(99),
                Err(Malformed { at: 0 }),
                "{bytes:?}"
            );
            assert_eq!(Message::new(bytes).fields().count(), 1);
        }
        assert_eq!(
            Message::new(&[0x0a, 1, 0x80]).uints(1),
            Err(Malformed { at: 0 })
        );
        assert_eq!(
            Message::new(&[0x0a, 1, 0x80]).text(1),
            Err(Malformed { at: 0 })
        );
        assert!(Malformed { at: 12 }.to_string().starts_with("byte 12: "));
    }

    #[test]
    fn any_bytes_end_without_a_panic() {
        // A linear congruential generator: the same bytes in every run.
        let mut state = 1_u64;
        for round in 0..20_000 {
            let size = round % 40;
            let bytes: Vec<u8> = (0..size)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let byte = (state >> 56) as u8;
                    // Small numbers make more of it look like fields.
                    if byte & 1 == 0 {
                        byte >> 3
                    } else {
                        byte
                    }
                })
                .collect();
            let message = Message::new(&bytes);
            assert!(message.fields().count() <= bytes.len());
            for number in 1..4 {
                let _ = (
                    message.uint(number),
                    message.text(number),
                    message.uints(number),
                );
                let _ = message.messages(number);
            }
        }
    }
}
