//! Orders of accelerator control streams: libtorqsched for Rust.
//!
//! A neural accelerator runs one control stream: transfers, programs on slices, waits, barriers. A
//! compiler hands such a stream and the numbers of a chip to [`schedule`], and gets an order of the
//! ops, a slice for each program, a place in local memory (LRAM) for each buffer, and the price in
//! cycles. [`simulate`] prices one order, [`allocate`] places buffers, [`plan_residency`] says which
//! tensors the on-chip SRAM holds, [`plan_warm`] which regions of memory to pull into L2 before they
//! are read, [`judge_warm`] whether that gained; [`plan_tiles`] says which part of LRAM tile loops may
//! use, [`lower`] makes a stream of a network's table; [`verify`] checks an answer.
//!
//! Requests and responses are serialized protobuf messages of package `torqsched.v1`, whose `.proto`
//! files are installed beside the C header. They cross as bytes and are not copied: `&[u8]` goes in,
//! a [`Buffer`] that derefs to `[u8]` comes out. Which protobuf crate makes and reads them is up to
//! you; [`stream`] and [`wire`] are enough to do without one.
//!
//! ```
//! use torqsched::stream::{Op, ScheduleRequest, Stream, StreamBuffer};
//! use torqsched::wire::Message;
//!
//! // Two programs, one after the other as a plain compiler writes them.
//! let mut stream = Stream::new("two programs");
//! let weights = stream.add_buffer(StreamBuffer::xram(100));
//! for _ in 0..2 {
//!     let tile = stream.add_buffer(StreamBuffer::lram(100));
//!     stream.add_op(Op::load(30).read(weights).write(tile));
//!     let start = stream.add_op(Op::start(100).slice(0).read(tile));
//!     stream.add_op(Op::wait(start));
//! }
//! let request = ScheduleRequest::new(&stream).profile("sl2610").encode();
//!
//! let response = torqsched::schedule(&request)?;
//! let response = Message::new(&response);
//! let before = response.uint(9).unwrap(); // input_makespan
//! let after = response.uint(8).unwrap(); // allocated_makespan
//! assert_eq!(before, Some(260)); // cycles
//! assert_eq!(after, Some(161));
//! # Ok::<(), torqsched::Error>(())
//! ```
//!
//! # Conventions
//!
//! - **Units.** Times are integer cycles of the stream's clock, sizes and offsets are bytes. Ops
//!   and buffers are named by position in the request's lists, counted from 0.
//! - **Threads.** Everything may be called from any thread; a [`Session`] serves any number at
//!   once. A call works on the thread that makes it, and blocks it.
//! - **Same request, same bytes,** on every run and machine, for one version of the library.
//! - **Errors** are values: bad bytes, hostile numbers and failed allocations of the library are an
//!   [`Error`], never a crash. Panics of closures: see [`Session`].

#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod buffer;
mod call;
mod callbacks;
mod error;
mod oracle;
mod session;
pub mod stream;
mod version;
pub mod wire;

pub use buffer::Buffer;
pub use call::{
    allocate, judge_warm, lower, plan_residency, plan_tiles, plan_warm, schedule, simulate, verify,
};
pub use callbacks::{LogLevel, Progress};
pub use error::{Code, Error, OracleError};
pub use oracle::OracleResponse;
pub use session::{Session, SessionBuilder};
pub use version::{abi_version, check_abi, version};

/// What the borrow checker forbids.
///
/// A session does not end while a call may use it:
///
/// ```compile_fail,E0505
/// let session = torqsched::Session::builder().build().unwrap();
/// std::thread::scope(|scope| {
///     scope.spawn(|| session.schedule(&[0x0a, 0x00]));
///     drop(session);
/// });
/// ```
///
/// Nor does it outlive what its closures borrow:
///
/// ```compile_fail,E0597
/// let session;
/// {
///     let name = String::from("gone");
///     session = torqsched::Session::builder().log(|_, _| println!("{name}")).build().unwrap();
/// }
/// drop(session);
/// ```
///
/// Closures that one thread only may run are refused:
///
/// ```compile_fail,E0277
/// let count = std::cell::Cell::new(0);
/// let session = torqsched::Session::builder().log(|_, _| count.set(count.get() + 1)).build();
/// ```
#[cfg(doctest)]
pub struct BorrowRules;

#[doc = include_str!("../../README.md")]
#[cfg(doctest)]
pub struct Readme;

/// The declarations of the C interface that these bindings are made of.
pub use torqsched_sys as sys;
