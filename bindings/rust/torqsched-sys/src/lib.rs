//! The C interface of libtorqsched, declared for Rust: `torqsched/torqsched.h`, name by name.
//!
//! The header is the reference; its nine conventions (shape of a call, ownership, threads, units)
//! hold here as they stand there. Most programs want the safe crate `torqsched` instead.
//!
//! How the library is found and linked is said in `bindings/rust/README.md`.

#![allow(non_camel_case_types)]
#![deny(missing_docs)]

use std::marker::{PhantomData, PhantomPinned};
use std::mem::size_of;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

/// Major version of the header that these declarations were written from.
pub const TORQSCHED_VERSION_MAJOR: u32 = 0;
/// Minor version of that header.
pub const TORQSCHED_VERSION_MINOR: u32 = 1;
/// Patch version of that header.
pub const TORQSCHED_VERSION_PATCH: u32 = 0;
/// The interface version of that header, major * 1000 + minor: what [`torqsched_check_abi`] takes.
pub const TORQSCHED_ABI_VERSION: u32 = TORQSCHED_VERSION_MAJOR * 1000 + TORQSCHED_VERSION_MINOR;

// ---- Codes --------------------------------------------------------------------------------------

/// The outcome of a call: one of the `TORQSCHED_` numbers below, which are those of gRPC. A number
/// that is none of them is to be treated as [`TORQSCHED_UNKNOWN`].
pub type torqsched_code = i32;

/// The call did what it was asked to.
pub const TORQSCHED_OK: torqsched_code = 0;
/// The progress callback said stop before there was anything to keep.
pub const TORQSCHED_CANCELLED: torqsched_code = 1;
/// Not returned.
pub const TORQSCHED_UNKNOWN: torqsched_code = 2;
/// The request or an argument is at fault; repeating is no use.
pub const TORQSCHED_INVALID_ARGUMENT: torqsched_code = 3;
/// Not returned.
pub const TORQSCHED_DEADLINE_EXCEEDED: torqsched_code = 4;
/// The hardware profile has no such name.
pub const TORQSCHED_NOT_FOUND: torqsched_code = 5;
/// Not returned.
pub const TORQSCHED_ALREADY_EXISTS: torqsched_code = 6;
/// Not returned.
pub const TORQSCHED_PERMISSION_DENIED: torqsched_code = 7;
/// Out of memory, over the session's limit, or over 2 GiB.
pub const TORQSCHED_RESOURCE_EXHAUSTED: torqsched_code = 8;
/// Re-entered from a callback, or oracle HOST without a callback.
pub const TORQSCHED_FAILED_PRECONDITION: torqsched_code = 9;
/// The host's oracle returned a value other than 0.
pub const TORQSCHED_ABORTED: torqsched_code = 10;
/// Not returned.
pub const TORQSCHED_OUT_OF_RANGE: torqsched_code = 11;
/// The request asks for what this version does not have.
pub const TORQSCHED_UNIMPLEMENTED: torqsched_code = 12;
/// A defect in the library, or in the host's oracle response.
pub const TORQSCHED_INTERNAL: torqsched_code = 13;
/// Not returned.
pub const TORQSCHED_UNAVAILABLE: torqsched_code = 14;
/// Not returned.
pub const TORQSCHED_DATA_LOSS: torqsched_code = 15;
/// Not returned.
pub const TORQSCHED_UNAUTHENTICATED: torqsched_code = 16;

// ---- Buffers ------------------------------------------------------------------------------------

/// Bytes that the library allocated, freed with [`torqsched_buffer_free`]. Not `Copy`: one copy
/// only may be freed.
#[repr(C)]
#[derive(Debug)]
pub struct torqsched_buffer {
    /// The first byte; null where `size` is 0.
    pub data: *mut c_void,
    /// Bytes.
    pub size: usize,
}

impl torqsched_buffer {
    /// A buffer that owns nothing.
    pub const EMPTY: torqsched_buffer = torqsched_buffer {
        data: ptr::null_mut(),
        size: 0,
    };
}

// ---- Sessions -----------------------------------------------------------------------------------

/// Level of a remark: for those who work on the library.
pub const TORQSCHED_LOG_DEBUG: i32 = 0;
/// Level of a remark: how the call goes.
pub const TORQSCHED_LOG_INFO: i32 = 1;
/// Level of a remark: something may not be as it was meant.
pub const TORQSCHED_LOG_WARNING: i32 = 2;
/// Level of a remark: something is wrong.
pub const TORQSCHED_LOG_ERROR: i32 = 3;

/// What a call remarks while it works: one line of UTF-8 without its end, closed by a zero byte,
/// valid until the callback returns.
pub type torqsched_log_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, level: i32, message: *const c_char)>;

/// How far a call is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct torqsched_progress {
    /// Bytes that the library filled; members beyond are not there.
    pub struct_size: usize,
    /// Of the work done, 0 to 1; never less than before in one call.
    pub fraction: f64,
    /// Cycles, of the best answer so far; 0 where `has_best` is 0.
    pub best_makespan: u64,
    /// 1: an order that the allocator placed is in hand; else 0.
    pub has_best: i32,
}

/// Returns 0 to go on; anything else cancels the call.
pub type torqsched_progress_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, progress: *const torqsched_progress) -> c_int>;

/// The host's own allocator: reads a serialized `torqsched.v1.OracleRequest`, fills `response`
/// with a serialized `torqsched.v1.OracleResponse` by [`torqsched_buffer_assign`], and returns 0.
/// Any other value gives the call up with [`TORQSCHED_ABORTED`].
pub type torqsched_oracle_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        request: *const c_void,
        request_size: usize,
        response: *mut torqsched_buffer,
    ) -> c_int,
>;

/// What a session is made from. Start from [`TORQSCHED_SESSION_OPTIONS_INIT`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct torqsched_session_options {
    /// Bytes of this structure.
    pub struct_size: usize,
    /// Handed to the callbacks, not looked at.
    pub user: *mut c_void,
    /// `None`: remarks are dropped.
    pub log: torqsched_log_callback,
    /// `None`: no progress is told, and calls cannot be cancelled.
    pub progress: torqsched_progress_callback,
    /// `None`: requests with oracle HOST fail.
    pub oracle: torqsched_oracle_callback,
    /// Bytes that one call may take; 0: no limit. The header says how they are counted.
    pub memory_limit_bytes: u64,
    /// 0: the library chooses; at most 1024.
    pub worker_threads: u32,
    /// 0 or 1: keep the memory of messages for later calls.
    pub reuse_arenas: u32,
}

/// The defaults of a session.
pub const TORQSCHED_SESSION_OPTIONS_INIT: torqsched_session_options = torqsched_session_options {
    struct_size: size_of::<torqsched_session_options>(),
    user: ptr::null_mut(),
    log: None,
    progress: None,
    oracle: None,
    memory_limit_bytes: 0,
    worker_threads: 0,
    reuse_arenas: 0,
};

/// Settings that calls share; opaque, immutable once made.
#[repr(C)]
pub struct torqsched_session {
    _bytes: [u8; 0],
    // Neither moved nor sent by accident: only the library knows what it is.
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

// ---- Functions ----------------------------------------------------------------------------------

extern "C" {
    /// The name of a code, such as "INVALID_ARGUMENT"; "UNKNOWN" for a number that is none. Static
    /// text.
    pub fn torqsched_code_name(code: torqsched_code) -> *const c_char;

    /// Frees what the buffer holds and leaves it empty: a second call does nothing, nor does null.
    pub fn torqsched_buffer_free(buffer: *mut torqsched_buffer);

    /// Replaces what an initialised buffer holds by a copy of `size` bytes at `data`.
    #[must_use]
    pub fn torqsched_buffer_assign(
        buffer: *mut torqsched_buffer,
        data: *const c_void,
        size: usize,
    ) -> torqsched_code;

    /// Makes a session; `options` null: the defaults; `error` may be null.
    #[must_use]
    pub fn torqsched_session_new(
        options: *const torqsched_session_options,
        session: *mut *mut torqsched_session,
        error: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Frees a session, which no call may be using. Null is ignored.
    pub fn torqsched_session_free(session: *mut torqsched_session);

    /// Orders a stream: `torqsched.v1.ScheduleRequest` to `torqsched.v1.ScheduleResponse`.
    #[must_use]
    pub fn torqsched_schedule(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Prices one order of a stream: `torqsched.v1.SimulateRequest` to
    /// `torqsched.v1.SimulateResponse`.
    #[must_use]
    pub fn torqsched_simulate(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Places buffers whose live ranges are known: `torqsched.v1.AllocateRequest` to
    /// `torqsched.v1.AllocateResponse`.
    #[must_use]
    pub fn torqsched_allocate(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Says which tensors the on-chip SRAM holds: `torqsched.v1.PlanResidencyRequest` to
    /// `torqsched.v1.PlanResidencyResponse`.
    #[must_use]
    pub fn torqsched_plan_residency(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Says which regions to pull into L2 before they are read: `torqsched.v1.PlanWarmRequest` to
    /// `torqsched.v1.PlanWarmResponse`.
    #[must_use]
    pub fn torqsched_plan_warm(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Says what measured rounds of a warm show: `torqsched.v1.JudgeWarmRequest` to
    /// `torqsched.v1.JudgeWarmResponse`.
    #[must_use]
    pub fn torqsched_judge_warm(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Says which part of LRAM each tile loop may use: `torqsched.v1.PlanTilesRequest` to
    /// `torqsched.v1.PlanTilesResponse`.
    #[must_use]
    pub fn torqsched_plan_tiles(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Makes a control stream of a network's table: `torqsched.v1.LowerRequest` to
    /// `torqsched.v1.LowerResponse`.
    #[must_use]
    pub fn torqsched_lower(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// Checks an answer: `torqsched.v1.VerifyRequest` to `torqsched.v1.VerifyResponse`.
    #[must_use]
    pub fn torqsched_verify(
        session: *const torqsched_session,
        request: *const c_void,
        request_size: usize,
        out: *mut torqsched_buffer,
    ) -> torqsched_code;

    /// The archive's version, such as "0.1.0". Static text.
    pub fn torqsched_version() -> *const c_char;

    /// The archive's interface version: major * 1000 + minor.
    pub fn torqsched_abi_version() -> u32;

    /// Whether this archive serves a host that was compiled for that interface version.
    #[must_use]
    pub fn torqsched_check_abi(header_abi_version: u32) -> torqsched_code;
}
