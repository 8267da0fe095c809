//! A compiler's view of libtorqsched: schedules a request with an allocator of its own.
//!
//!     torqsched-example REQUEST    a serialized torqsched.v1.ScheduleRequest, such as
//!                                  share/torqsched/streams/worked-example-1.binpb

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use torqsched::stream::{Oracle, ScheduleOptions, ScheduleRequest};
use torqsched::wire::{Malformed, Message};
use torqsched::{Code, OracleError, OracleResponse, Session};

/// Bytes of LRAM where the request says nothing: those of profile sl2610.
const LRAM_BYTES: u64 = 524_288;
const LRAM_RESERVED_BYTES: u64 = 1_280;

fn usable_lram(hardware: Message<'_>) -> Result<u64, Malformed> {
    let all = hardware.uint(2)?.unwrap_or(LRAM_BYTES);
    let reserved = hardware.uint(3)?.unwrap_or(LRAM_RESERVED_BYTES);
    Ok(all.saturating_sub(reserved))
}

/// The host's own allocator, simple as can be: an order fits where its live bytes do. It prices the
/// order with the library itself, for an OracleRequest is a SimulateRequest as well.
fn place(request: &[u8]) -> Result<Vec<u8>, OracleError> {
    let price = torqsched::simulate(request)?;
    let price = Message::new(&price);
    let makespan = price.uint(1)?.unwrap_or(0);
    let peak_live_bytes = price.uint(2)?.unwrap_or(0);
    let hardware = Message::new(request).message(2)?.unwrap_or_default();
    let answer = if peak_live_bytes <= usable_lram(hardware)? {
        OracleResponse::placed(makespan)
    } else {
        OracleResponse::not_placed(format!("{peak_live_bytes} bytes are live at once"))
    };
    Ok(answer.encode())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: torqsched-example REQUEST")?;
    let request = ScheduleRequest::decode(&std::fs::read(path)?)?;
    let request = request
        .options(ScheduleOptions::new().oracle(Oracle::Host))
        .encode();

    // Schedule, with an oracle and with progress.
    let (asked, told) = (AtomicU64::new(0), AtomicU64::new(0));
    let session = Session::builder()
        .oracle(|request| {
            asked.fetch_add(1, Ordering::Relaxed);
            place(request)
        })
        .progress(|_| {
            told.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })
        .build()?;
    let response = session.schedule(&request)?;
    let response = Message::new(&response);
    let cycles = |number| response.uint(number).map(|cycles| cycles.unwrap_or(0));
    let bound = response
        .message(15)?
        .unwrap_or_default()
        .uint(1)?
        .unwrap_or(0);
    println!("libtorqsched    {}", torqsched::version());
    println!("input makespan  {} cycles", cycles(9)?);
    println!("makespan        {} cycles", cycles(8)?);
    println!("lower bound     {bound} cycles");
    println!("order           {:?}", response.uints(1)?);
    println!("oracle asked    {} times", asked.load(Ordering::Relaxed));
    println!("progress told   {} times", told.load(Ordering::Relaxed));

    // Cancel as soon as there is an answer: it is given, and says so.
    let hasty = Session::builder()
        .oracle(place)
        .progress(|progress| match progress.best_makespan {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        })
        .build()?;
    let response = hasty.schedule(&request)?;
    let response = Message::new(&response);
    let makespan = response.uint(8)?.unwrap_or(0);
    println!(
        "cancelled       {}, with {makespan} cycles in hand",
        response.flag(23)?
    );

    // What is wrong with a request is a value.
    match session.schedule(&request[..request.len() / 2]) {
        Err(error) if error.code() == Code::InvalidArgument => println!("half a request  {error}"),
        other => return Err(format!("half a request gave {other:?}").into()),
    }
    Ok(())
}
