//! What to do with a stream: a request, and its options.

use std::collections::BTreeMap;

use super::Hardware;
use crate::wire::{Malformed, Message, Writer};

// Field numbers of the requests.
const STREAM: u32 = 1;
const HARDWARE: u32 = 2;
const OPTIONS: u32 = 3; // of a ScheduleRequest
const VERIFIED_SCHEDULE: u32 = 3; // of a VerifyRequest

/// What makes the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The input order and slices, allocated and priced.
    None = 1,
    /// List schedules under three caps, and the choice among them and the input order: the
    /// library's default.
    StreamSchedule = 2,
    /// A search for a better order, until none can be better or a limit is reached.
    Optimize = 3,
}

/// What places an order in LRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Oracle {
    /// Two-ended first fit op by op: the library's default.
    Sequential = 1,
    /// The session's oracle closure.
    Host = 2,
    /// Knows the whole order before it places anything.
    Offline = 3,
}

/// How to schedule: a `torqsched.v1.ScheduleOptions`, whose comments say what is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// By field number.
    numbers: BTreeMap<u32, u64>,
}

impl ScheduleOptions {
    /// All defaults.
    #[must_use]
    pub fn new() -> Self {
        ScheduleOptions::default()
    }

    /// What makes the order.
    #[must_use]
    pub fn strategy(self, strategy: Strategy) -> Self {
        self.set(1, strategy as u64)
    }

    /// What places orders in LRAM.
    #[must_use]
    pub fn oracle(self, oracle: Oracle) -> Self {
        self.set(2, oracle as u64)
    }

    /// The largest cap, percent of usable LRAM, 0 to 100.
    #[must_use]
    pub fn cap_percent(self, percent: u64) -> Self {
        self.set(3, percent)
    }

    /// The part of a cap that loads for programs far ahead may fill, percent, 0 to 100.
    #[must_use]
    pub fn prefetch_percent(self, percent: u64) -> Self {
        self.set(4, percent)
    }

    /// How many of the programs to come count as near, so that their loads may fill all of the cap.
    #[must_use]
    pub fn urgent_starts(self, starts: u64) -> Self {
        self.set(5, starts)
    }

    /// How many ready ops a rule looks at in each step, at least 1.
    #[must_use]
    pub fn candidates(self, ops: u64) -> Self {
        self.set(6, ops)
    }

    /// Whether to record the steps of the list schedule that is committed.
    #[must_use]
    pub fn explain(self, record: bool) -> Self {
        self.set_flag(7, record)
    }

    /// Whether to record when everything runs.
    #[must_use]
    pub fn timeline(self, record: bool) -> Self {
        self.set_flag(8, record)
    }

    /// Of OPTIMIZE: how many nodes the search may visit, the same answer on every machine.
    #[must_use]
    pub fn work_limit(self, nodes: u64) -> Self {
        self.set(9, nodes)
    }

    /// Of OPTIMIZE: when the search ends, milliseconds of wall time from when the call begins. An
    /// answer that it cut short says so.
    #[must_use]
    pub fn time_limit_ms(self, milliseconds: u64) -> Self {
        self.set(10, milliseconds)
    }

    /// Whether to place no order that needs swaps.
    #[must_use]
    pub fn swaps_forbidden(self, forbidden: bool) -> Self {
        self.set_flag(11, forbidden)
    }

    /// Whether to price the answer on eight chips that are somewhat faster or slower.
    #[must_use]
    pub fn sensitivity(self, price: bool) -> Self {
        self.set_flag(12, price)
    }

    /// Of OPTIMIZE: whether to compare orders by the worst of those eight prices and their own.
    #[must_use]
    pub fn robust(self, robust: bool) -> Self {
        self.set_flag(13, robust)
    }

    fn set(mut self, number: u32, value: u64) -> Self {
        self.numbers.insert(number, value);
        self
    }

    /// A bool that is false is left out, as proto3 does.
    fn set_flag(mut self, number: u32, value: bool) -> Self {
        if value {
            return self.set(number, 1);
        }
        self.numbers.remove(&number);
        self
    }

    /// The serialized `torqsched.v1.ScheduleOptions`; no bytes where nothing is set.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let numbers = self.numbers.iter();
        numbers
            .fold(Writer::new(), |writer, (&number, &value)| {
                writer.uint(number, value)
            })
            .into_bytes()
    }
}

/// A stream, a chip and options: a `torqsched.v1.ScheduleRequest`, or the request of another call
/// about the same stream.
///
/// ```
/// use torqsched::stream::{Hardware, Op, ScheduleOptions, ScheduleRequest, Strategy, Stream};
///
/// let mut stream = Stream::new("one call of the host");
/// stream.add_op(Op::barrier(70));
/// let request = ScheduleRequest::new(&stream)
///     .hardware(Hardware::profile("sl2610").slices(1))
///     .options(ScheduleOptions::new().strategy(Strategy::Optimize));
/// let response = torqsched::schedule(&request.encode())?;
///
/// let checked = torqsched::verify(&request.encode_verify(&response))?;
/// let violations = torqsched::wire::Message::new(&checked).messages(1).unwrap();
/// assert!(violations.is_empty());
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// A request that is serialized already, of a file for instance, is taken up by
/// [`ScheduleRequest::decode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRequest {
    stream: Vec<u8>,
    hardware: Vec<u8>,
    options: Vec<u8>,
}

impl ScheduleRequest {
    /// A request about a stream: a [`Stream`](super::Stream), or the bytes of a serialized
    /// `torqsched.v1.Stream`. For the chip of profile sl2610, with all defaults.
    #[must_use]
    pub fn new(stream: impl Into<Vec<u8>>) -> Self {
        ScheduleRequest {
            stream: stream.into(),
            hardware: Vec::new(),
            options: Vec::new(),
        }
    }

    /// Takes a serialized `torqsched.v1.ScheduleRequest` apart. What stream, chip and options hold
    /// is not looked at; that is the library's to check.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: the bytes are no message.
    pub fn decode(request: &[u8]) -> Result<Self, Malformed> {
        let request = Message::new(request);
        let part = |number| Ok(request.bytes(number)?.unwrap_or_default().to_vec());
        Ok(ScheduleRequest {
            stream: part(STREAM)?,
            hardware: part(HARDWARE)?,
            options: part(OPTIONS)?,
        })
    }

    /// For this chip, instead of any that was set before.
    #[must_use]
    pub fn hardware(mut self, hardware: Hardware) -> Self {
        self.hardware = hardware.encode();
        self
    }

    /// For the chip of a profile of the library's, such as "sl2610".
    #[must_use]
    pub fn profile(self, name: impl Into<String>) -> Self {
        self.hardware(Hardware::profile(name))
    }

    /// With these options, instead of any that were set before.
    #[must_use]
    pub fn options(mut self, options: ScheduleOptions) -> Self {
        self.options = options.encode();
        self
    }

    /// The serialized `torqsched.v1.ScheduleRequest`, for [`schedule`](crate::schedule()).
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let subject = self.subject();
        if self.options.is_empty() {
            return subject.into_bytes();
        }
        subject.bytes(OPTIONS, &self.options).into_bytes()
    }

    /// Stream and chip without the options. That is a serialized `torqsched.v1.SimulateRequest`
    /// and a serialized `torqsched.v1.AllocateRequest`, both about the input order.
    #[must_use]
    pub fn encode_without_options(&self) -> Vec<u8> {
        self.subject().into_bytes()
    }

    /// A serialized `torqsched.v1.VerifyRequest`, for [`verify`](crate::verify()): does this
    /// response of [`schedule`](crate::schedule()) do what stream and chip say?
    #[must_use]
    pub fn encode_verify(&self, response: &[u8]) -> Vec<u8> {
        self.subject()
            .bytes(VERIFIED_SCHEDULE, response)
            .into_bytes()
    }

    /// Fields 1 and 2, which the requests of all calls have in common.
    fn subject(&self) -> Writer {
        // An empty stream is one, too, and has to be there.
        let writer = Writer::new().bytes(STREAM, &self.stream);
        if self.hardware.is_empty() {
            return writer;
        }
        writer.bytes(HARDWARE, &self.hardware)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Stream;

    #[test]
    fn an_empty_stream_is_still_there() {
        let request = ScheduleRequest::new(&Stream::default());
        assert_eq!(request.encode(), [0x0a, 0]);
        assert_eq!(request.encode_without_options(), [0x0a, 0]);
        assert_eq!(
            request.encode_verify(b"\x08\x00"),
            [0x0a, 0, 0x1a, 2, 0x08, 0]
        );
    }

    #[test]
    fn every_option() {
        let options = ScheduleOptions::new()
            .strategy(Strategy::Optimize)
            .oracle(Oracle::Offline)
            .cap_percent(90)
            .prefetch_percent(0)
            .urgent_starts(3)
            .candidates(16)
            .explain(true)
            .timeline(true)
            .work_limit(1000)
            .time_limit_ms(500)
            .swaps_forbidden(true)
            .sensitivity(true)
            .robust(true)
            .robust(false);
        let bytes = ScheduleRequest::new([])
            .profile("x")
            .options(options)
            .encode();
        let request = Message::new(&bytes);
        assert_eq!(request.bytes(2), Ok(Some(&b"\x0a\x01x"[..])));
        let options = request.message(3).unwrap().unwrap();
        let values: Vec<_> = (1..14)
            .map(|number| options.uint(number).unwrap())
            .collect();
        let expected = [3, 3, 90, 0, 3, 16, 1, 1, 1000, 500, 1, 1].map(Some);
        assert_eq!(values[..12], expected);
        assert_eq!(values[12], None);

        let decoded = ScheduleRequest::decode(&bytes).unwrap();
        assert_eq!(decoded.encode(), bytes);
        assert_eq!(
            decoded.options(ScheduleOptions::new()).encode(),
            b"\x0a\x00\x12\x03\x0a\x01x"
        );
        assert!(ScheduleRequest::decode(b"\x0a\x05").is_err());
    }
}
