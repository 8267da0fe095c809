//! What a call costs beside its work: schedules an empty stream again and again.
//!
//!     cargo run --release --example overhead [CALLS]
//!
//! It also shows that nothing is copied on the way: a call with a response makes Rust allocate no
//! memory, and the response lies where the library put it.

#![deny(unsafe_op_in_unsafe_fn)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use torqsched::wire::Writer;
use torqsched::{sys, Buffer, Error, Session};

/// Counts what Rust allocates; the library has an allocator of its own.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn measure(
    name: &str,
    calls: usize,
    request: &[u8],
    call: impl Fn(&[u8]) -> Result<Buffer, Error>,
) -> Result<(), Error> {
    call(request)?; // the first call of a process loads more than the others
    let allocations = ALLOCATIONS.load(Ordering::Relaxed);
    let begin = Instant::now();
    for _ in 0..calls {
        call(request)?;
    }
    let microseconds = begin.elapsed().as_secs_f64() * 1e6 / calls as f64;
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - allocations;
    assert_eq!(allocations, 0, "a call allocated in Rust");
    println!("{name:<34} {microseconds:8.3} us a call, no allocation in Rust, {calls} calls");
    Ok(())
}

fn main() -> Result<(), Error> {
    let calls = std::env::args().nth(1);
    let calls = calls.map_or(100_000, |calls| calls.parse().expect("CALLS is a number"));
    let empty = [0x0a, 0x00]; // an empty stream

    // The C interface itself, to see what the bindings add.
    measure("schedule, C interface", calls, &empty, |bytes| {
        let mut out = sys::torqsched_buffer::EMPTY;
        // SAFETY: the request is as long as is said, and `out` is writable.
        let code = unsafe {
            sys::torqsched_schedule(null(), bytes.as_ptr().cast(), bytes.len(), &mut out)
        };
        assert_eq!(code, sys::TORQSCHED_OK);
        // SAFETY: `out` came from the library just now; dropping it frees it.
        Ok(unsafe { Buffer::from_raw(out) })
    })?;
    measure(
        "schedule, default session",
        calls,
        &empty,
        torqsched::schedule,
    )?;
    measure(
        "simulate, default session",
        calls,
        &empty,
        torqsched::simulate,
    )?;
    let session = Session::builder().reuse_arenas(true).build()?;
    measure("schedule, arenas reused", calls, &empty, |bytes| {
        session.schedule(bytes)
    })?;
    let told = AtomicUsize::new(0);
    let session = Session::builder()
        .reuse_arenas(true)
        .progress(|_| {
            told.fetch_add(1, Ordering::Relaxed);
            std::ops::ControlFlow::Continue(())
        })
        .build()?;
    measure("schedule, with progress closure", calls, &empty, |bytes| {
        session.schedule(bytes)
    })?;
    println!("progress was told {} times", told.load(Ordering::Relaxed));

    // A large request, in fields that the library passes over (number 1000), is not copied either.
    let large = Writer::new()
        .bytes(1, &[])
        .bytes(1000, &vec![0; 8 << 20])
        .into_bytes();
    measure("schedule, 8 MiB request", 10, &large, torqsched::schedule)?;

    // The response is the library's own memory: Rust hands out the pointer that it was given.
    let response = torqsched::schedule(&empty)?;
    let (address, size) = (response.as_ptr(), response.len());
    let raw = response.into_raw();
    assert_eq!((raw.data as *const u8, raw.size), (address, size));
    // SAFETY: `raw` came from the library just now, and is not used otherwise.
    drop(unsafe { Buffer::from_raw(raw) });
    println!("response of {size} bytes read where the library put it");
    Ok(())
}
