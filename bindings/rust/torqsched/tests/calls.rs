//! The calls, their errors, and the bytes that they answer with.

mod common;

use common::{
    residency, response, rounds, table, tiles, tuned_table, uint, warm, worked_example, EMPTY,
};
use std::error::Error as _;
use std::path::PathBuf;
use torqsched::stream::{
    Access, BufferIndex, Op, OpIndex, Oracle, ScheduleOptions, ScheduleRequest, Strategy, Stream,
    StreamBuffer,
};
use torqsched::wire::{Message, Value, Writer};
use torqsched::{
    allocate, judge_warm, lower, plan_residency, plan_tiles, plan_warm, schedule, simulate, verify,
    Buffer, Code, Error, Session,
};

#[test]
fn versions() {
    assert!(torqsched::version().starts_with("0.1."));
    assert_eq!(
        torqsched::abi_version(),
        torqsched::sys::TORQSCHED_ABI_VERSION
    );
    torqsched::check_abi().unwrap();
}

#[test]
fn the_worked_example_takes_250_cycles_instead_of_410() {
    let request = worked_example();
    let answer = schedule(&request.encode()).unwrap();
    assert_eq!(uint(&answer, response::INPUT_MAKESPAN), Some(410));
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), Some(250));
    let mut order = Message::new(&answer).uints(response::ORDER).unwrap();
    order.sort_unstable();
    assert_eq!(order, (0..10).collect::<Vec<_>>());

    let checked = verify(&request.encode_verify(&answer)).unwrap();
    assert_eq!(Message::new(&checked).messages(1).unwrap(), []);

    let price = simulate(&request.encode_without_options()).unwrap();
    assert_eq!(uint(&price, 1), Some(410));

    let placed = allocate(&request.encode_without_options()).unwrap();
    assert_eq!(uint(&placed, 1), Some(1)); // PLACED
}

#[test]
fn a_wrong_answer_is_found() {
    let request = worked_example();
    let answer = schedule(&request.encode()).unwrap();
    let wrong = Writer::new()
        .uint(response::ALLOCATED_MAKESPAN, 249)
        .into_bytes();
    let wrong = [&answer[..], &wrong].concat(); // the last one counts
    let checked = verify(&request.encode_verify(&wrong)).unwrap();
    let violations = Message::new(&checked).messages(1).unwrap();
    assert!(violations
        .iter()
        .any(|violation| violation.uint(1) == Ok(Some(9)))); // PRICE
}

#[test]
fn a_tensor_is_on_chip_where_it_fits() {
    let tiers = |answer: &[u8]| {
        let programs = Message::new(answer).messages(1).unwrap();
        assert_eq!(programs.len(), 1);
        programs[0].uints(1).unwrap()
    };
    let session = Session::builder().build().unwrap();
    for (sram, tier) in [(450, 1), (449, 3)] {
        let request = residency(sram, &["y"]);
        let answer = plan_residency(&request).unwrap();
        assert_eq!(tiers(&answer), [tier]);
        let traffic = Message::new(&answer).message(4).unwrap().unwrap();
        assert_eq!(traffic.uint(tier as u32), Ok(Some(900))); // and its field of that number
        assert_eq!(session.plan_residency(&request).unwrap(), answer);
    }
    assert_eq!(
        tiers(&plan_residency(&residency(1000, &["y", "z"])).unwrap()),
        [1, 1]
    );

    let twice = residency(1000, &["y", "y"]);
    for result in [plan_residency(&twice), session.plan_residency(&twice)] {
        let error = fails(result);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.field(), Some("programs[0].tensors[1].name"));
    }
}

/// The plan that testdata/warm/README.md makes by hand.
fn plans_two_weights(answer: &[u8]) {
    let kinds = Message::new(answer).messages(1).unwrap();
    assert_eq!(kinds.len(), 1);
    let saved = 100_663_296 * 17 / 100_000; // ns
    assert_eq!(kinds[0].uint(6), Ok(Some(1_050_000))); // without
    assert_eq!(kinds[0].uint(7), Ok(Some(1_050_000 - saved)));
    let scopes = kinds[0].messages(3).unwrap();
    assert_eq!(scopes.len(), 1);
    assert_eq!(scopes[0].uint(1), Ok(Some(0))); // after q_up
    let regions = scopes[0].messages(4).unwrap();
    let landed = |one: &Message| (one.uint(1).unwrap().unwrap_or(0), one.uint(3).unwrap());
    assert_eq!(
        regions.iter().map(landed).collect::<Vec<_>>(),
        [(0, Some(357_470)), (1, Some(357_470 + 117_735))] // at 285 bytes a nanosecond
    );
}

#[test]
fn weights_are_warmed_while_others_compute() {
    let session = Session::builder().build().unwrap();
    let answer = plan_warm(&warm()).unwrap();
    plans_two_weights(&answer);
    assert_eq!(session.plan_warm(&warm()).unwrap(), answer);
    for result in [plan_warm(&[]), session.plan_warm(&[])] {
        let error = fails(result);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.field(), Some("timeline"));
    }
}

/// The verdict on one card's rounds, and what their median changed by.
fn judged(answer: &[u8]) -> (Option<u64>, i64) {
    let cards = Message::new(answer).messages(6).unwrap();
    assert_eq!(cards.len(), 1);
    let median = cards[0].message(4).unwrap().unwrap();
    let change = median.uint(1).unwrap().unwrap_or(0) as i64;
    (uint(answer, 1), change)
}

#[test]
fn a_warm_ships_where_it_gains() {
    let session = Session::builder().build().unwrap();
    for (request, verdict, change) in [
        (rounds(1_000_000, 980_000), 2, -20_000), // SHIP
        (rounds(1_000_000, 1_000_000), 3, 0),     // DO_NOT_SHIP
    ] {
        let answer = judge_warm(&request).unwrap();
        assert_eq!(judged(&answer), (Some(verdict), change));
        assert_eq!(session.judge_warm(&request).unwrap(), answer);
    }
    for result in [judge_warm(&[]), session.judge_warm(&[])] {
        let error = fails(result);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.field(), Some("series"));
    }
}

#[test]
fn a_contraction_keeps_its_rows_whole() {
    let session = Session::builder().build().unwrap();
    let answer = plan_tiles(&tiles(128)).unwrap();
    let loops = Message::new(&answer).messages(1).unwrap();
    assert_eq!(loops.len(), 1);
    assert_eq!(loops[0].uint(1), Ok(Some(523_008))); // all of LRAM
    assert_eq!(loops[0].uint(2), Ok(Some(5))); // ROWS_STAY_WHOLE
    assert_eq!(session.plan_tiles(&tiles(128)).unwrap(), answer);
    for result in [plan_tiles(&tiles(0)), session.plan_tiles(&tiles(0))] {
        let error = fails(result);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.field(), Some("loops[0].shape.m"));
    }
}

#[test]
fn a_table_becomes_a_stream() {
    let session = Session::builder().build().unwrap();
    let answer = lower(&table()).unwrap();
    let stream = Message::new(&answer).message(1).unwrap().unwrap();
    assert!(!stream.messages(3).unwrap().is_empty()); // ops
    let layers = Message::new(&answer).messages(2).unwrap();
    assert_eq!(layers.len(), 1);
    assert_eq!(layers[0].uint(11), Ok(Some(1))); // programs
    assert_eq!(layers[0].uint(14), Ok(Some(128))); // bytes loaded
    assert_eq!(layers[0].uint(17), Ok(Some(128))); // and stored
    assert_eq!(session.lower(&table()).unwrap(), answer);

    let answer = lower(&tuned_table()).unwrap();
    let tuning = Message::new(&answer).message(5).unwrap().unwrap();
    assert!(tuning.uint(3).unwrap() >= Some(1)); // trials
    assert_eq!(session.lower(&tuned_table()).unwrap(), answer);
    for result in [lower(&[]), session.lower(&[])] {
        let error = fails(result);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.field(), Some("network"));
    }
}

#[test]
fn strategies_and_oracles() {
    for strategy in [Strategy::None, Strategy::StreamSchedule, Strategy::Optimize] {
        for oracle in [Oracle::Sequential, Oracle::Offline] {
            let options = ScheduleOptions::new().strategy(strategy).oracle(oracle);
            let answer = schedule(&worked_example().options(options).encode()).unwrap();
            let expected = if strategy == Strategy::None { 410 } else { 250 };
            assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), Some(expected));
        }
    }
}

#[test]
fn sessions_give_the_same_bytes() {
    let request = worked_example().encode();
    let expected = schedule(&request).unwrap();
    for reuse in [false, true] {
        let session = Session::builder()
            .reuse_arenas(reuse)
            .worker_threads(2)
            .memory_limit_bytes(1 << 30)
            .build()
            .unwrap();
        for _ in 0..3 {
            assert_eq!(session.schedule(&request).unwrap(), expected);
        }
    }
    let session = Session::builder().build().unwrap();
    let subject = worked_example().encode_without_options();
    assert_eq!(
        session.simulate(&subject).unwrap(),
        simulate(&subject).unwrap()
    );
    assert_eq!(
        session.allocate(&subject).unwrap(),
        allocate(&subject).unwrap()
    );
    let check = worked_example().encode_verify(&expected);
    assert_eq!(session.verify(&check).unwrap(), verify(&check).unwrap());
}

/// The streams that are distributed are ScheduleRequests; `TORQSCHED_STREAMS` is their directory, and
/// beside it are others.
#[test]
fn distributed_streams() {
    let directory = match std::env::var_os("TORQSCHED_STREAMS") {
        Some(directory) => PathBuf::from(directory),
        None => return eprintln!("skipped: TORQSCHED_STREAMS is not set"),
    };
    let example = std::fs::read(directory.join("worked-example-1.binpb")).unwrap();
    // The builder writes what a generated class does, byte for byte.
    assert_eq!(worked_example().encode(), example);
    let network = std::fs::read(directory.join("mobilenet-v2-int8.whole.binpb")).unwrap();
    let request = ScheduleRequest::decode(&network).unwrap();
    let answer = schedule(&request.encode()).unwrap();
    let before = uint(&answer, response::INPUT_MAKESPAN);
    assert!(uint(&answer, response::ALLOCATED_MAKESPAN) < before);
    let checked = verify(&request.encode_verify(&answer)).unwrap();
    assert_eq!(Message::new(&checked).messages(1).unwrap(), []);

    let warm = |name| std::fs::read(directory.join("../warm").join(name)).unwrap();
    plans_two_weights(&plan_warm(&warm("two-weights.binpb")).unwrap());
    let answer = judge_warm(&warm("rounds.binpb")).unwrap();
    assert_eq!(judged(&answer), (Some(2), -15_980)); // SHIP
}

#[test]
fn every_setter_is_a_field_that_the_library_reads() {
    let mut stream = Stream::new("all fields");
    let weights = stream.add_buffer(StreamBuffer::xram(4096).name("w").live_in().constant());
    let tile = stream.add_buffer(StreamBuffer::lram(4096).alignment(64).fixed_offset(0));
    let out = stream.add_buffer(StreamBuffer::lram(64).live_out());
    let pure = stream.add_op(Op::pure().name("alloc").alloc(tile));
    let load = Op::load(875)
        .read(weights)
        .write(tile)
        .operand(pure)
        .location("a.mlir:1");
    let load = stream.add_op(load);
    let start = Op::start(200)
        .slice(1)
        .operand(load)
        .access(Access::read(tile).range(0, 64))
        .read_write(out)
        .dma_share_percent(50);
    let start = stream.add_op(start);
    stream.add_op(Op::wait(start));
    stream.add_op(Op::barrier(10));
    let answer = schedule(&ScheduleRequest::new(&stream).encode()).unwrap();
    assert_eq!(
        uint(&answer, response::INPUT_MAKESPAN),
        Some(875 + 200 + 10)
    );
}

fn fails(result: Result<Buffer, Error>) -> Error {
    let error = result.unwrap_err();
    assert!(error.to_string().starts_with(error.code().name()));
    assert!(error.source().is_none());
    error
}

#[test]
fn bad_bytes() {
    for call in [
        schedule,
        simulate,
        allocate,
        plan_residency,
        plan_warm,
        judge_warm,
        plan_tiles,
        lower,
        verify,
    ] {
        for bytes in [&b"\xff"[..], b"\x0a\x05abc", b"\x0a\xff\xff\xff\xff\x0f"] {
            let error = fails(call(bytes));
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains("are not a serialized"), "{error}");
            assert_eq!((error.op(), error.buffer()), (None, None));
        }
    }
}

#[test]
fn no_bytes_are_no_request() {
    for call in [schedule, simulate, verify] {
        let error = fails(call(&[]));
        assert_eq!(
            (error.code(), error.field()),
            (Code::InvalidArgument, Some("stream"))
        );
    }
    // But no buffers, to allocate, and no programs or loops, to plan for.
    assert_eq!(uint(&allocate(&[]).unwrap(), 1), Some(1));
    let plan = plan_residency(&[]).unwrap();
    assert_eq!(Message::new(&plan).messages(1).unwrap(), []);
    let plan = plan_tiles(&[]).unwrap();
    assert_eq!(Message::new(&plan).messages(1).unwrap(), []);
    // And every call has a response about an empty stream; to plan for, it is an empty target.
    for call in [schedule, simulate, allocate, plan_residency, verify] {
        call(&EMPTY).unwrap();
    }
}

#[test]
fn an_error_names_its_place() {
    let mut stream = Stream::new("one bad op");
    let buffer = stream.add_buffer(StreamBuffer::lram(100));
    stream.add_op(Op::barrier(1));
    stream.add_op(
        Op::load(1)
            .name("w3")
            .access(Access::write(buffer).range(50, 51)),
    );
    let error = fails(schedule(&ScheduleRequest::new(&stream).encode()));
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.op(), Some(1));
    assert!(
        error
            .field()
            .unwrap()
            .starts_with("stream.ops[1].accesses[0]"),
        "{error}"
    );
    assert!(error.to_string().contains("op 1 'w3'"), "{error}");

    let mut stream = Stream::new("no such buffer");
    stream.add_op(Op::load(1).write(BufferIndex(7)));
    let error = fails(schedule(&ScheduleRequest::new(&stream).encode()));
    assert_eq!((error.code(), error.op()), (Code::InvalidArgument, Some(0)));

    let mut stream = Stream::new("waits for itself");
    stream.add_op(Op::wait(OpIndex(0)));
    let error = fails(schedule(&ScheduleRequest::new(&stream).encode()));
    assert_eq!((error.code(), error.op()), (Code::InvalidArgument, Some(0)));
}

#[test]
fn other_codes() {
    let request = worked_example().profile("no such chip").encode();
    assert_eq!(fails(schedule(&request)).code(), Code::NotFound);

    let small = Session::builder().memory_limit_bytes(1).build().unwrap();
    let error = fails(small.schedule(&worked_example().encode()));
    assert_eq!(error.code(), Code::ResourceExhausted);

    // Oracle HOST without a closure.
    let error = fails(schedule(&common::for_host_oracle()));
    assert_eq!(error.code(), Code::FailedPrecondition);

    let error = Session::builder()
        .worker_threads(1025)
        .log(|_, _| ())
        .build()
        .unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("worker_threads"));
}

#[test]
fn buffers_go_between_threads_and_back_to_c() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Buffer>();
    is_send_and_sync::<Error>();
    is_send_and_sync::<Session<'static>>();

    let buffer = schedule(&worked_example().encode()).unwrap();
    let (address, bytes) = (buffer.as_ptr(), buffer.to_vec());
    let raw = std::thread::spawn(move || buffer)
        .join()
        .unwrap()
        .into_raw();
    assert_eq!((raw.data as *const u8, raw.size), (address, bytes.len()));
    // SAFETY: `raw` came from the library, and is not used otherwise.
    let buffer = unsafe { Buffer::from_raw(raw) };
    assert_eq!(buffer.as_ref(), bytes);
    assert_eq!(
        format!("{buffer:?}"),
        format!("Buffer({} bytes)", bytes.len())
    );

    // SAFETY: an empty buffer owns nothing.
    let empty = unsafe { Buffer::from_raw(torqsched::sys::torqsched_buffer::EMPTY) };
    assert!(empty.is_empty());
    assert_ne!(buffer, empty);
}

#[test]
fn every_field_of_a_response_is_readable() {
    let options = ScheduleOptions::new().explain(true).timeline(true);
    let answer = schedule(&worked_example().options(options).encode()).unwrap();
    let mut sub_messages = 0;
    for field in Message::new(&answer).fields() {
        if let Value::Bytes(bytes) = field.unwrap().value {
            sub_messages += usize::from(Message::new(bytes).fields().all(|field| field.is_ok()));
        }
    }
    assert!(sub_messages > 10);
    let bound = Message::new(&answer)
        .message(response::LOWER_BOUND)
        .unwrap()
        .unwrap();
    assert_eq!(bound.uint(1), Ok(Some(250)));
}
