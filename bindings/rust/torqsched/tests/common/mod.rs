//! Streams and field numbers that the tests have in common.

#![allow(dead_code)] // each test file uses some of it

use torqsched::stream::{
    Hardware, Op, Oracle, ScheduleOptions, ScheduleRequest, Stream, StreamBuffer,
};
use torqsched::wire::{Message, Writer};

/// Field numbers of torqsched.v1.ScheduleResponse.
pub mod response {
    pub const ORDER: u32 = 1;
    pub const ALLOCATED_MAKESPAN: u32 = 8;
    pub const INPUT_MAKESPAN: u32 = 9;
    pub const LOWER_BOUND: u32 = 15;
    pub const STATISTICS: u32 = 20;
    pub const CANCELLED: u32 = 23;
}

/// A request with an empty stream.
pub const EMPTY: [u8; 2] = [0x0a, 0x00];

/// testdata/streams/worked-example-1.txtpb: 410 cycles in the input order, 250 in the best one.
pub fn worked_example() -> ScheduleRequest {
    let mut stream = Stream::new("worked-example-1");
    let xram: Vec<_> = (0..4)
        .map(|_| stream.add_buffer(StreamBuffer::xram(100)))
        .collect();
    let [w1, w2, w3, o1, o2, o3] = ["w1", "w2", "w3", "o1", "o2", "o3"]
        .map(|name| stream.add_buffer(StreamBuffer::lram(100).name(name)));

    let mut run = |load: Op, start: Op, wait: &str| {
        stream.add_op(load);
        let start = stream.add_op(start);
        stream.add_op(Op::wait(start).name(wait));
    };
    run(
        Op::load(30).name("L1").read(xram[0]).write(w1),
        Op::start(100).name("start P1").slice(0).read(w1).write(o1),
        "wait P1",
    );
    run(
        Op::load(30).name("L2").read(xram[1]).write(w2),
        Op::start(100).name("start P2").slice(0).read(w2).write(o2),
        "wait P2",
    );
    let third = Op::start(100).name("start P3").slice(0);
    run(
        Op::load(30).name("L3").read(xram[2]).write(w3),
        third.read(w3).read(o1).write(o3),
        "wait P3",
    );
    stream.add_op(Op::store(20).name("S3").read(o3).write(xram[3]));

    ScheduleRequest::new(&stream).hardware(
        Hardware::new()
            .lram_bytes(1000)
            .lram_reserved_bytes(0)
            .alignment(1)
            .slices(2)
            .small_buffer_bytes(8192)
            .start_cycles(1)
            .clock_hz(0),
    )
}

/// The worked example, to be placed by the session's oracle closure.
pub fn for_host_oracle() -> Vec<u8> {
    worked_example()
        .options(ScheduleOptions::new().oracle(Oracle::Host))
        .encode()
}

/// A torqsched.v1.PlanResidencyRequest: crossbar, so much SRAM, and a program with these tensors,
/// each an activation of 450 bytes that moves 900, written in phase 0 and read in phase 1.
pub fn residency(sram_bytes: u64, names: &[&str]) -> Vec<u8> {
    let target = Writer::new().uint(1, sram_bytes).uint(3, 1).into_bytes();
    let mut program = Writer::new();
    for (position, name) in (0u64..).zip(names) {
        let tensor = Writer::new().bytes(1, name.as_bytes()).uint(2, 1);
        let tensor = tensor.uint(3, 450).uint(4, 900).into_bytes();
        let write = Writer::new().uint(1, position).uint(4, 1).into_bytes();
        let read = Writer::new().uint(1, position).uint(3, 1).into_bytes();
        program = program.bytes(4, &tensor).bytes(5, &write).bytes(5, &read);
    }
    let request = Writer::new().bytes(1, &target);
    request.bytes(2, &program.into_bytes()).into_bytes()
}

/// A torqsched.v1.PlanWarmRequest: testdata/warm/two-weights, but for its names.
pub fn warm() -> Vec<u8> {
    let region = |name: &[u8], size: u64| Writer::new().bytes(1, name).uint(2, size).into_bytes();
    let stage = |ns: u64| Writer::new().uint(2, ns);
    let read = |region: u64| Writer::new().uint(1, region).into_bytes();
    let kind = Writer::new()
        .bytes(3, &stage(98_000).uint(8, 1).into_bytes()) // with a task id
        .bytes(3, &stage(400_000).into_bytes())
        .bytes(3, &stage(52_000).bytes(4, &read(0)).into_bytes())
        .bytes(3, &stage(30_000).bytes(4, &read(1)).into_bytes())
        .bytes(3, &stage(470_000).uint(5, 427_819_008).into_bytes()); // other bytes
    let timeline = Writer::new()
        .bytes(2, &region(b"a", 64 << 20))
        .bytes(2, &region(b"b", 32 << 20))
        .bytes(3, &kind.into_bytes());
    Writer::new().bytes(1, &timeline.into_bytes()).into_bytes()
}

/// A torqsched.v1.JudgeWarmRequest: of one card 60 rounds without the warm, and 60 with it.
pub fn rounds(without: u64, with: u64) -> Vec<u8> {
    let series = |warmed: u64, time: u64| {
        let series = Writer::new().uint(2, warmed).uints(3, [time; 60]);
        series.into_bytes()
    };
    let request = Writer::new().bytes(1, &series(0, without));
    request.bytes(1, &series(1, with)).into_bytes()
}

/// A torqsched.v1.PlanTilesRequest: one contraction, m x 768 by 768 x 3072, of 16 bits each, whose
/// weight is all the constants there are.
pub fn tiles(m: u64) -> Vec<u8> {
    let shape = Writer::new().uint(2, m).uint(3, 3072).uint(4, 768);
    let shape = shape.uint(5, 16).uint(6, 16).uint(7, 16).into_bytes();
    let contraction = Writer::new().uint(2, 1).bytes(6, &shape).into_bytes();
    let request = Writer::new().uint(2, 3072 * 768 * 2);
    request.bytes(3, &contraction).into_bytes()
}

/// A torqsched.v1.LowerRequest: one elementwise layer, which makes 128 bytes of 128 that the network
/// is given.
pub fn table() -> Vec<u8> {
    let layer = Writer::new()
        .bytes(2, b"elementwise")
        .uints(4, [1]) // -1, as a sint32
        .uints(5, [128])
        .uint(6, 128);
    let network = Writer::new().bytes(2, &layer.into_bytes()).into_bytes();
    Writer::new().bytes(1, &network).into_bytes()
}

/// The same, to be lowered with budgets that are tried.
pub fn tuned_table() -> Vec<u8> {
    let options = Writer::new().bytes(7, &[]).into_bytes();
    let tuning = Writer::new().bytes(3, &options).into_bytes();
    [table(), tuning].concat()
}

pub fn uint(response: &[u8], number: u32) -> Option<u64> {
    Message::new(response).uint(number).unwrap()
}
