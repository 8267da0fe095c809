//! Schedules a stream with an allocator of its own, cancels a call, and is told of bad bytes.
//!
//!     export TORQSCHED_LIB_DIR=$PWD/sdk/lib STREAMS=sdk/share/torqsched/streams
//!     cargo run --offline --manifest-path examples/rust/Cargo.toml $STREAMS/worked-example-1.binpb
//!
//! With the distribution in sdk; the file is a serialized torqsched.v1.ScheduleRequest.

use std::error::Error;
use std::ops::ControlFlow;
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering};

use torqsched::stream::{Oracle, ScheduleOptions};
use torqsched::wire::{Malformed, Message, Writer};
use torqsched::{OracleError, OracleResponse, Session};

static ASKED: AtomicU64 = AtomicU64::new(0); // closures may be in many calls at once
static TOLD: AtomicU64 = AtomicU64::new(0);

fn number(message: Message<'_>, number: u32) -> Result<u64, Malformed> {
    Ok(message.uint(number)?.unwrap_or(0))
}

/// The host's own allocator, simple as can be: an order fits where its live bytes do. It prices the
/// order with the library itself, for an OracleRequest is a SimulateRequest as well.
fn place(request: &[u8]) -> Result<Vec<u8>, OracleError> {
    ASKED.fetch_add(1, Ordering::Relaxed);
    let price = torqsched::simulate(request)?;
    let price = Message::new(&price);
    let (makespan, peak_live_bytes) = (number(price, 1)?, number(price, 2)?);
    let hardware = Message::new(request).message(2)?.unwrap_or_default();
    let room = number(hardware, 2)?.saturating_sub(number(hardware, 3)?);
    let answer = if peak_live_bytes <= room {
        OracleResponse::placed(makespan)
    } else {
        OracleResponse::not_placed(format!("{peak_live_bytes} bytes are live at once"))
    };
    Ok(answer.encode())
}

/// "410 cycles in the input order, 250 as scheduled", of a ScheduleResponse.
fn cycles(response: Message<'_>) -> Result<String, Malformed> {
    let bar = response.uint(14)?; // unset: the input order cannot be placed
    let note = bar.map_or(" (not placed)", |_| "");
    let before = bar.unwrap_or(number(response, 9)?); // 9: without swaps
    let after = response.uint(8)?; // with its swaps
    let after = after.map_or("not placed".into(), |after| format!("{after} as scheduled"));
    Ok(format!("{before} cycles in the input order{note}, {after}"))
}

fn run(mut request: Vec<u8>) -> Result<(), Box<dyn Error>> {
    // Messages that stand one after the other are merged: this sets options.oracle.
    let options = ScheduleOptions::new().oracle(Oracle::Host).encode();
    request.extend(Writer::new().bytes(3, &options).into_bytes());

    let session = Session::builder()
        .oracle(place)
        .progress(|_| {
            TOLD.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })
        .build()?;
    let response = session.schedule(&request)?;
    let response = Message::new(&response);
    let stream = Message::new(&request).message(1)?.unwrap_or_default();
    let name = stream.text(1)?.unwrap_or_default();
    let bound = number(response.message(15)?.unwrap_or_default(), 1)?;
    println!("{name}: {}, lower bound {bound}", cycles(response)?);
    let (asked, told) = (ASKED.load(Ordering::Relaxed), TOLD.load(Ordering::Relaxed));
    println!("oracle asked {asked} times, progress told {told} times");

    let hasty = Session::builder()
        .oracle(place)
        .progress(|_| ControlFlow::Break(()))
        .build()?;
    if let Err(error) = hasty.schedule(&request) {
        println!("cancelled: {error}");
    }
    if let Err(error) = torqsched::schedule(b"no ScheduleRequest") {
        println!("bad bytes: {error}");
    }
    Ok(())
}

fn fail(status: i32, message: &str) -> ! {
    eprintln!("{message}");
    exit(status)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = format!("usage: {} REQUEST.binpb", arguments[0]);
    let path = arguments.get(1).unwrap_or_else(|| fail(2, &usage));
    let request =
        std::fs::read(path).unwrap_or_else(|error| fail(2, &format!("{path}: {error}; {usage}")));
    run(request).unwrap_or_else(|error| fail(1, &error.to_string()));
}
