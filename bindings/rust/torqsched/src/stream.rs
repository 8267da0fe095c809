//! Requests without a protobuf crate: a control stream, a chip, options.
//!
//! A [`Stream`] is written as it is added to, so a million ops take no more than their bytes. The
//! types follow `torqsched/v1/stream.proto`, `hardware.proto` and `schedule.proto`, which say what
//! each number means; the bytes are those that a generated class writes.

mod hardware;
mod request;

pub use hardware::Hardware;
pub use request::{Oracle, ScheduleOptions, ScheduleRequest, Strategy};

use crate::wire::Writer;

/// A position in a stream's ops, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpIndex(pub u32);

/// A position in a stream's buffers, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferIndex(pub u32);

/// One function's control stream: its buffers, and its ops in input order. Nothing is checked
/// here; the library checks the whole request, and its [`Error`](crate::Error) names the place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    name: String,
    buffers: Writer,
    buffer_count: usize,
    ops: Writer,
    op_count: usize,
}

impl Stream {
    /// A stream without ops. The name is for people, and may be empty.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Stream {
            name: name.into(),
            ..Stream::default()
        }
    }

    /// Adds a buffer that ops touch, and gives its position.
    pub fn add_buffer(&mut self, buffer: StreamBuffer) -> BufferIndex {
        let index = BufferIndex(position(self.buffer_count));
        self.buffer_count += 1;
        self.buffers = std::mem::take(&mut self.buffers).bytes(2, &buffer.encode());
        index
    }

    /// Adds an op behind those that are there, and gives its position.
    pub fn add_op(&mut self, op: Op) -> OpIndex {
        let index = OpIndex(position(self.op_count));
        self.op_count += 1;
        self.ops = std::mem::take(&mut self.ops).bytes(3, &op.encode());
        index
    }

    /// How many buffers there are.
    #[must_use]
    pub fn buffer_count(&self) -> usize {
        self.buffer_count
    }

    /// How many ops there are.
    #[must_use]
    pub fn op_count(&self) -> usize {
        self.op_count
    }

    /// The serialized `torqsched.v1.Stream`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        Writer::new()
            .text_unless_empty(1, &self.name)
            .raw(self.buffers.as_bytes())
            .raw(self.ops.as_bytes())
            .into_bytes()
    }
}

impl From<&Stream> for Vec<u8> {
    fn from(stream: &Stream) -> Self {
        stream.encode()
    }
}

/// Of more than 2^32 of them the request is far over the library's 2 GiB, and refused.
fn position(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Which memory a buffer lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Xram = 1,
    Lram = 2,
}

/// A run of bytes that ops read and write: a `torqsched.v1.Buffer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamBuffer {
    name: String,
    space: Space,
    size: u64,
    alignment: u64,
    fixed_offset: Option<u64>,
    live_in: bool,
    live_out: bool,
    constant: bool,
}

impl StreamBuffer {
    /// A buffer of so many bytes in XRAM, the large memory outside.
    #[must_use]
    pub fn xram(size: u64) -> Self {
        StreamBuffer::new(Space::Xram, size)
    }

    /// A buffer of so many bytes in LRAM, the small memory beside the slices.
    #[must_use]
    pub fn lram(size: u64) -> Self {
        StreamBuffer::new(Space::Lram, size)
    }

    fn new(space: Space, size: u64) -> Self {
        StreamBuffer {
            name: String::new(),
            space,
            size,
            alignment: 0,
            fixed_offset: None,
            live_in: false,
            live_out: false,
            constant: false,
        }
    }

    /// A name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Its offset is a multiple of the larger of so many bytes and the hardware's alignment.
    #[must_use]
    pub fn alignment(mut self, bytes: u64) -> Self {
        self.alignment = bytes;
        self
    }

    /// Where in LRAM it must lie, bytes from the first usable one.
    #[must_use]
    pub fn fixed_offset(mut self, bytes: u64) -> Self {
        self.fixed_offset = Some(bytes);
        self
    }

    /// It is live before the first op.
    #[must_use]
    pub fn live_in(mut self) -> Self {
        self.live_in = true;
        self
    }

    /// It is live after the last op.
    #[must_use]
    pub fn live_out(mut self) -> Self {
        self.live_out = true;
        self
    }

    /// In XRAM, live in, and no op writes it: it may be loaded again at any time.
    #[must_use]
    pub fn constant(mut self) -> Self {
        self.constant = true;
        self
    }

    fn encode(&self) -> Vec<u8> {
        Writer::new()
            .text_unless_empty(1, &self.name)
            .uint(2, self.space as u64)
            .uint_unless_zero(3, self.size)
            .uint_unless_zero(4, self.alignment)
            .uint_if_set(5, self.fixed_offset)
            .uint_unless_zero(6, u64::from(self.live_in))
            .uint_unless_zero(7, u64::from(self.live_out))
            .uint_unless_zero(8, u64::from(self.constant))
            .into_bytes()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum OpKind {
    Pure = 1,
    Load = 2,
    Store = 3,
    Start = 4,
    Wait = 5,
    Barrier = 6,
}

/// One entry of the control stream: a `torqsched.v1.Op`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    name: String,
    kind: OpKind,
    cycles: u64,
    slice: Option<u32>,
    start: Option<u32>,
    alloc: Option<u32>,
    operands: Vec<u32>,
    accesses: Vec<Access>,
    location: String,
    dma_share_percent: u32,
}

impl Op {
    /// A DMA transfer into LRAM that takes so many cycles. Writes at least one buffer in LRAM.
    #[must_use]
    pub fn load(cycles: u64) -> Self {
        Op::new(OpKind::Load, cycles)
    }

    /// A DMA transfer out of LRAM that takes so many cycles. Reads at least one buffer in LRAM.
    #[must_use]
    pub fn store(cycles: u64) -> Self {
        Op::new(OpKind::Store, cycles)
    }

    /// Starts a program that computes for so many cycles, on slice 0 unless [`Op::slice`] says
    /// another; the stream goes on. The bytes that the program touches stand here.
    #[must_use]
    pub fn start(cycles: u64) -> Self {
        Op::new(OpKind::Start, cycles)
    }

    /// Blocks the stream until the program of that start is done.
    #[must_use]
    pub fn wait(start: OpIndex) -> Self {
        Op {
            start: Some(start.0),
            ..Op::new(OpKind::Wait, 0)
        }
    }

    /// Costs nothing; comes out just before the first action that needs it.
    #[must_use]
    pub fn pure() -> Self {
        Op::new(OpKind::Pure, 0)
    }

    /// Anything else, such as a call of the host, that takes so many cycles: keeps its place.
    #[must_use]
    pub fn barrier(cycles: u64) -> Self {
        Op::new(OpKind::Barrier, cycles)
    }

    fn new(kind: OpKind, cycles: u64) -> Self {
        Op {
            name: String::new(),
            kind,
            cycles,
            slice: None,
            start: None,
            alloc: None,
            operands: Vec::new(),
            accesses: Vec::new(),
            location: String::new(),
            dma_share_percent: 0,
        }
    }

    /// A name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where it comes from in the caller's sources, for people.
    #[must_use]
    pub fn location(mut self, location: impl Into<String>) -> Self {
        self.location = location.into();
        self
    }

    /// Of a start: the slice that its program runs on in the input, counted from 0.
    #[must_use]
    pub fn slice(mut self, slice: u32) -> Self {
        self.slice = Some(slice);
        self
    }

    /// Of a pure op: the buffer that it allocates.
    #[must_use]
    pub fn alloc(mut self, buffer: BufferIndex) -> Self {
        self.alloc = Some(buffer.0);
        self
    }

    /// Of a start: what its program takes of the DMA bandwidth while it computes, percent, 0 to 99.
    #[must_use]
    pub fn dma_share_percent(mut self, percent: u32) -> Self {
        self.dma_share_percent = percent;
        self
    }

    /// Adds an op, older than this one, whose result this one uses.
    #[must_use]
    pub fn operand(mut self, op: OpIndex) -> Self {
        self.operands.push(op.0);
        self
    }

    /// Adds bytes that it touches.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.accesses.push(access);
        self
    }

    /// Adds a buffer all of which it reads.
    #[must_use]
    pub fn read(self, buffer: BufferIndex) -> Self {
        self.access(Access::read(buffer))
    }

    /// Adds a buffer all of which it overwrites without reading any.
    #[must_use]
    pub fn write(self, buffer: BufferIndex) -> Self {
        self.access(Access::write(buffer))
    }

    /// Adds a buffer all of which it reads and writes.
    #[must_use]
    pub fn read_write(self, buffer: BufferIndex) -> Self {
        self.access(Access::read_write(buffer))
    }

    fn encode(&self) -> Vec<u8> {
        let optional = |value: Option<u32>| value.map(u64::from);
        let mut writer = Writer::new()
            .text_unless_empty(1, &self.name)
            .uint(2, self.kind as u64)
            .uint_unless_zero(3, self.cycles)
            .uint_if_set(4, optional(self.slice))
            .uint_if_set(5, optional(self.start))
            .uint_if_set(6, optional(self.alloc))
            .uints(7, self.operands.iter().copied().map(u64::from));
        for access in &self.accesses {
            writer = writer.bytes(8, &access.encode());
        }
        writer
            .text_unless_empty(9, &self.location)
            .uint_unless_zero(10, u64::from(self.dma_share_percent))
            .into_bytes()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum AccessMode {
    Read = 1,
    Write = 2,
    ReadWrite = 3,
}

/// The bytes of one buffer that an op touches: a `torqsched.v1.Access`. All of them, unless
/// [`Access::range`] says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    buffer: u32,
    offset: u64,
    size: Option<u64>,
    mode: AccessMode,
}

impl Access {
    /// Reads them.
    #[must_use]
    pub fn read(buffer: BufferIndex) -> Self {
        Access::new(buffer, AccessMode::Read)
    }

    /// Overwrites all of them without reading any.
    #[must_use]
    pub fn write(buffer: BufferIndex) -> Self {
        Access::new(buffer, AccessMode::Write)
    }

    /// Reads and writes them.
    #[must_use]
    pub fn read_write(buffer: BufferIndex) -> Self {
        Access::new(buffer, AccessMode::ReadWrite)
    }

    fn new(buffer: BufferIndex, mode: AccessMode) -> Self {
        Access {
            buffer: buffer.0,
            offset: 0,
            size: None,
            mode,
        }
    }

    /// Only `size` bytes, from `offset` bytes after the buffer's start on.
    #[must_use]
    pub fn range(mut self, offset: u64, size: u64) -> Self {
        self.offset = offset;
        self.size = Some(size);
        self
    }

    fn encode(&self) -> Vec<u8> {
        Writer::new()
            .uint_unless_zero(1, u64::from(self.buffer))
            .uint_unless_zero(2, self.offset)
            .uint_if_set(3, self.size)
            .uint(4, self.mode as u64)
            .into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Message;

    #[test]
    fn an_empty_stream_is_no_bytes() {
        assert_eq!(Stream::default().encode(), []);
        assert_eq!(Stream::new("s").encode(), [0x0a, 1, b's']);
    }

    #[test]
    fn every_field_of_an_op() {
        let op = Op::start(100)
            .name("mm")
            .slice(0)
            .alloc(BufferIndex(5))
            .operand(OpIndex(1))
            .operand(OpIndex(300))
            .read(BufferIndex(0))
            .access(Access::read_write(BufferIndex(7)).range(8, 0))
            .location("a.mlir:3")
            .dma_share_percent(99);
        let bytes = op.encode();
        let op = Message::new(&bytes);
        assert_eq!(op.text(1), Ok(Some("mm")));
        assert_eq!(op.uint(2), Ok(Some(4)));
        assert_eq!(op.uint(3), Ok(Some(100)));
        assert_eq!(op.uint(4), Ok(Some(0)));
        assert_eq!(op.uint(5), Ok(None));
        assert_eq!(op.uint(6), Ok(Some(5)));
        assert_eq!(op.uints(7), Ok(vec![1, 300]));
        let accesses = op.messages(8).unwrap();
        assert_eq!(accesses[0].as_bytes(), [0x20, 1]);
        assert_eq!(accesses[1].as_bytes(), [0x08, 7, 0x10, 8, 0x18, 0, 0x20, 3]);
        assert_eq!(op.text(9), Ok(Some("a.mlir:3")));
        assert_eq!(op.uint(10), Ok(Some(99)));
    }

    #[test]
    fn every_field_of_a_buffer() {
        let buffer = StreamBuffer::lram(4096)
            .name("w")
            .alignment(64)
            .fixed_offset(0)
            .live_in()
            .live_out()
            .constant();
        let expected = [
            0x0a, 1, b'w', 0x10, 2, 0x18, 0x80, 0x20, 0x20, 64, 0x28, 0, 0x30, 1, 0x38, 1, 0x40, 1,
        ];
        assert_eq!(buffer.encode(), expected);
        assert_eq!(StreamBuffer::xram(0).encode(), [0x10, 1]);
    }

    #[test]
    fn positions_count_up() {
        let mut stream = Stream::new("");
        assert_eq!(stream.add_buffer(StreamBuffer::xram(1)), BufferIndex(0));
        assert_eq!(stream.add_op(Op::pure()), OpIndex(0));
        assert_eq!(stream.add_op(Op::wait(OpIndex(0))), OpIndex(1));
        assert_eq!(stream.add_buffer(StreamBuffer::lram(1)), BufferIndex(1));
        assert_eq!((stream.buffer_count(), stream.op_count()), (2, 2));
        // Buffers come before ops, in whichever order they were added.
        let bytes = stream.encode();
        let numbers: Vec<u32> = Message::new(&bytes)
            .fields()
            .map(|field| field.unwrap().number)
            .collect();
        assert_eq!(numbers, [2, 2, 3, 3]);
    }
}
