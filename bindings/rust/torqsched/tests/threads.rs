//! Eight threads on one session: every answer is the same bytes.

mod common;

use common::{response, uint, worked_example};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use torqsched::Session;

const THREADS: u64 = 8;

/// How often each thread calls: fewer where a tool makes each call slow.
fn calls() -> u64 {
    match std::env::var("TORQSCHED_THREAD_CALLS") {
        Ok(calls) => calls.parse().expect("TORQSCHED_THREAD_CALLS is a number"),
        Err(_) => 10_000,
    }
}

#[test]
fn eight_threads_share_a_session() {
    let told = AtomicU64::new(0);
    let session = Session::builder()
        .reuse_arenas(true)
        .progress(|_| {
            told.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })
        .build()
        .unwrap();
    let request = worked_example().encode();
    let expected = session.schedule(&request).unwrap();
    assert_eq!(uint(&expected, response::ALLOCATED_MAKESPAN), Some(250));
    let told_each = told.swap(0, Ordering::Relaxed);

    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..calls() {
                    assert_eq!(session.schedule(&request).unwrap(), expected);
                }
            });
        }
    });
    let seconds = begin.elapsed().as_secs_f64();
    println!("{THREADS} threads, {} calls each: {seconds:.1} s", calls());
    assert_eq!(told.load(Ordering::Relaxed), THREADS * calls() * told_each);
}
