//! The one shape that all calls have, and the calls on the default session.

use std::os::raw::c_void;
use std::ptr::null;

use torqsched_sys as sys;

use crate::buffer::Buffer;
use crate::error::Error;
use crate::version::check_abi;

/// A call of the C interface.
pub(crate) type Entry = unsafe extern "C" fn(
    session: *const sys::torqsched_session,
    request: *const c_void,
    request_size: usize,
    out: *mut sys::torqsched_buffer,
) -> sys::torqsched_code;

/// Makes a call. Neither the request nor the response is copied.
///
/// # Safety
///
/// `session` is null or a live session whose callbacks may be called; `entry` is a call of the
/// library.
pub(crate) unsafe fn call(
    entry: Entry,
    session: *const sys::torqsched_session,
    request: &[u8],
) -> Result<Buffer, Error> {
    let mut out = sys::torqsched_buffer::EMPTY;
    // SAFETY: the request is as long as is said and `out` is writable; the rest is the caller's
    // promise.
    let code = unsafe { entry(session, request.as_ptr().cast(), request.len(), &mut out) };
    // SAFETY: the library has set `out`, whatever the code, and nobody else frees it.
    let answer = unsafe { Buffer::from_raw(out) };
    if code == sys::TORQSCHED_OK {
        Ok(answer)
    } else {
        Err(Error::from_answer(code, &answer))
    }
}

fn call_default(entry: Entry, request: &[u8]) -> Result<Buffer, Error> {
    check_abi()?;
    // SAFETY: null is the default session, which has no callbacks.
    unsafe { call(entry, null(), request) }
}

/// Orders a stream, gives every program a slice and places its buffers: takes a serialized
/// `torqsched.v1.ScheduleRequest`, gives a serialized `torqsched.v1.ScheduleResponse`.
///
/// The order is never slower than the input order. Cost: near-linear, except for strategy OPTIMIZE,
/// which searches as long as its limits allow.
///
/// ```
/// use torqsched::stream::{Op, ScheduleRequest, Stream, StreamBuffer};
/// use torqsched::wire::Message;
///
/// let mut stream = Stream::new("two transfers");
/// let weights = stream.add_buffer(StreamBuffer::xram(4096));
/// let tile = stream.add_buffer(StreamBuffer::lram(4096));
/// stream.add_op(Op::load(875).read(weights).write(tile));
/// stream.add_op(Op::store(875).read(tile).write(weights));
///
/// let response = torqsched::schedule(&ScheduleRequest::new(&stream).encode())?;
/// let makespan = Message::new(&response).uint(8).unwrap(); // allocated_makespan, cycles
/// assert_eq!(makespan, Some(1750));
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn schedule(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_schedule, request)
}

/// Prices one order of a stream without placing anything: takes a serialized
/// `torqsched.v1.SimulateRequest`, gives a serialized `torqsched.v1.SimulateResponse`.
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn simulate(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_simulate, request)
}

/// Gives buffers whose live ranges are known their offsets in one memory, or proves that there are
/// none: takes a serialized `torqsched.v1.AllocateRequest`, gives a serialized
/// `torqsched.v1.AllocateResponse`. That nothing fits is a verdict in the response and no error.
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn allocate(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_allocate, request)
}

/// Says which tensors of programs, or of a network, the on-chip SRAM holds, and which of the others
/// HBM does: takes a serialized `torqsched.v1.PlanResidencyRequest`, gives a serialized
/// `torqsched.v1.PlanResidencyResponse`.
///
/// Cost: near-linear, except for strategy OPTIMAL, which searches as far as `options.node_limit`
/// allows.
///
/// ```
/// use torqsched::wire::{Message, Writer};
///
/// let target = Writer::new().uint(1, 1000).uint(3, 1); // sram_bytes, crossbar
/// let tensor = Writer::new().bytes(1, b"y").uint(3, 450).uint(4, 900); // 450 bytes, 900 moved
/// let write = Writer::new().uint(3, 0).uint(4, 1); // in phase 0
/// let read = Writer::new().uint(3, 1); // in phase 1
/// let program = Writer::new()
///     .bytes(4, &tensor.into_bytes())
///     .bytes(5, &write.into_bytes())
///     .bytes(5, &read.into_bytes());
/// let request = Writer::new()
///     .bytes(1, &target.into_bytes())
///     .bytes(2, &program.into_bytes())
///     .into_bytes();
///
/// let response = torqsched::plan_residency(&request)?;
/// let programs = Message::new(&response).messages(1).unwrap();
/// assert_eq!(programs[0].uints(1).unwrap(), [1]); // tiers: SRAM
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn plan_residency(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_plan_residency, request)
}

/// Says which regions of memory to pull into L2 before they are read, after which stage, and why not
/// the others: takes a serialized `torqsched.v1.PlanWarmRequest`, gives a serialized
/// `torqsched.v1.PlanWarmResponse`.
///
/// Cost: linear in stages and reads, times the combinations that options allow:
/// `options.exact_combinations` of a kind of layer, or `options.search_stages` simulated stages.
///
/// ```
/// use torqsched::wire::{Message, Writer};
///
/// let weights = Writer::new().uint(2, 64 << 20).into_bytes(); // bytes
/// let stage = |ns| Writer::new().uint(2, ns); // duration_ns
/// let reads = Writer::new().uint(1, 0).into_bytes(); // region 0
/// let kind = Writer::new()
///     .bytes(3, &stage(1000).uint(8, 1).into_bytes()) // has_task_id
///     .bytes(3, &stage(500_000).into_bytes())
///     .bytes(3, &stage(60_000).bytes(4, &reads).into_bytes())
///     .bytes(3, &stage(400_000).uint(5, 256 << 20).into_bytes()); // other_bytes: all that L2 holds
/// let timeline = Writer::new().bytes(2, &weights).bytes(3, &kind.into_bytes());
/// let request = Writer::new().bytes(1, &timeline.into_bytes()).into_bytes();
///
/// let response = torqsched::plan_warm(&request)?;
/// let kinds = Message::new(&response).messages(1).unwrap();
/// let scope = kinds[0].message(3).unwrap().unwrap();
/// assert_eq!(scope.uint(1), Ok(Some(0))); // anchor: after the first stage
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn plan_warm(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_plan_warm, request)
}

/// Says what measured rounds with and without a warm show, and whether to ship it: takes a
/// serialized `torqsched.v1.JudgeWarmRequest`, gives a serialized `torqsched.v1.JudgeWarmResponse`.
///
/// Cost: O(n log n) in all rounds, and for each series O(log n) for each of `options.resamples`.
///
/// ```
/// use torqsched::wire::{Message, Writer};
///
/// let without = Writer::new().uints(3, [1_000_000; 60]).into_bytes(); // times of 60 rounds
/// let warmed = Writer::new().uint(2, 1).uints(3, [980_000; 60]).into_bytes();
/// let request = Writer::new().bytes(1, &without).bytes(1, &warmed).into_bytes();
///
/// let response = torqsched::judge_warm(&request)?;
/// let verdict = Message::new(&response).uint(1).unwrap();
/// assert_eq!(verdict, Some(2)); // SHIP
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn judge_warm(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_judge_warm, request)
}

/// Says which part of LRAM each tile loop of a function may use, and how its contractions are cut:
/// takes a serialized `torqsched.v1.PlanTilesRequest`, gives a serialized
/// `torqsched.v1.PlanTilesResponse`.
///
/// Cost: linear in the loops.
///
/// ```
/// use torqsched::wire::{Message, Writer};
///
/// let shape = Writer::new().uint(2, 128).uint(3, 3072).uint(4, 768); // m, n, k
/// let shape = shape.uint(5, 16).uint(6, 16).uint(7, 16); // bits of lhs, weight, out
/// let contraction = Writer::new().uint(2, 1).bytes(6, &shape.into_bytes());
/// let request = Writer::new()
///     .uint(2, 3072 * 768 * 2) // constant_bytes
///     .bytes(3, &contraction.into_bytes())
///     .into_bytes();
///
/// let response = torqsched::plan_tiles(&request)?;
/// let loops = Message::new(&response).messages(1).unwrap();
/// assert_eq!(loops[0].uint(1), Ok(Some(523_008))); // bytes: all of LRAM
/// assert_eq!(loops[0].uint(2), Ok(Some(5))); // reason: ROWS_STAY_WHOLE
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn plan_tiles(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_plan_tiles, request)
}

/// Makes a control stream of a network's table, tile by tile: takes a serialized
/// `torqsched.v1.LowerRequest`, gives a serialized `torqsched.v1.LowerResponse`. With
/// `options.tuning` it finds tile budgets by what they earn.
///
/// Cost: near-linear in layers and programs, at most `options.most_programs` of them; with tuning a
/// lowering and a schedule a trial.
///
/// ```
/// use torqsched::wire::{Message, Writer};
///
/// let layer = Writer::new()
///     .bytes(2, b"elementwise")
///     .uints(4, [1]) // inputs: -1, as a sint32: what the network is given
///     .uints(5, [128]) // input_bytes_each
///     .uint(6, 128); // output_bytes
/// let network = Writer::new().bytes(2, &layer.into_bytes());
/// let request = Writer::new().bytes(1, &network.into_bytes()).into_bytes();
///
/// let response = torqsched::lower(&request)?;
/// let layers = Message::new(&response).messages(2).unwrap();
/// assert_eq!(layers[0].uint(11), Ok(Some(1))); // programs
/// # Ok::<(), torqsched::Error>(())
/// ```
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn lower(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_lower, request)
}

/// Checks an answer independently of what made it: takes a serialized `torqsched.v1.VerifyRequest`,
/// gives a serialized `torqsched.v1.VerifyResponse`. What is wrong with the answer stands in the
/// response and is no error.
///
/// # Errors
///
/// What the [`Error`] says: its [`Code`](crate::Code) is the kind.
pub fn verify(request: &[u8]) -> Result<Buffer, Error> {
    call_default(sys::torqsched_verify, request)
}
