//! Closures that panic: the library never sees it, and the caller does.

mod common;

use common::{
    for_host_oracle, residency, response, rounds, table, tiles, tuned_table, uint, warm,
    worked_example, EMPTY,
};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::panic::{catch_unwind, panic_any, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once};
use torqsched::wire::Message;
use torqsched::{simulate, Buffer, Error, OracleResponse, Session};

/// A panic that says which closure it came from.
struct Thrown(u64);

fn throw(number: u64) -> ! {
    // Hundreds of expected panics are no news.
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<Thrown>() {
                loud(info);
            }
        }));
    });
    panic_any(Thrown(number))
}

/// The number that the call threw.
fn thrown(call: impl FnOnce() -> Result<Buffer, Error>) -> u64 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(answer) => panic!("an answer instead of a panic: {answer:?}"),
        Err(panic) => panic.downcast_ref::<Thrown>().expect("another panic").0,
    }
}

#[test]
fn each_closure() {
    let request = for_host_oracle();
    let oracle = |request: &[u8]| {
        let price = simulate(request)?;
        let makespan = Message::new(&price).uint(1)?.unwrap_or(0);
        Ok(OracleResponse::placed(makespan).encode())
    };
    let session = Session::builder()
        .log(|_, _| throw(1))
        .oracle(oracle)
        .build()
        .unwrap();
    assert_eq!(thrown(|| session.schedule(&request)), 1);

    let session = Session::builder()
        .progress(|_| throw(2))
        .oracle(oracle)
        .build()
        .unwrap();
    assert_eq!(thrown(|| session.schedule(&request)), 2);
    assert_eq!(
        thrown(|| session.allocate(&worked_example().encode_without_options())),
        2
    );
    assert_eq!(thrown(|| session.lower(&tuned_table())), 2);
    // Calls without that closure are not touched.
    session.simulate(&EMPTY).unwrap();
    session.verify(&EMPTY).unwrap();
    session.plan_residency(&residency(1000, &["y"])).unwrap();
    session.plan_warm(&warm()).unwrap();
    session.judge_warm(&rounds(1_000_000, 980_000)).unwrap();
    session.plan_tiles(&tiles(128)).unwrap();
    session.lower(&table()).unwrap();

    let session = Session::builder().oracle(|_| throw(3)).build().unwrap();
    for _ in 0..100 {
        assert_eq!(thrown(|| session.schedule(&request)), 3);
    }
}

#[test]
fn a_session_goes_on_after_a_panic() {
    let bad = AtomicBool::new(true);
    let session = Session::builder()
        .progress(|progress| {
            if progress.fraction > 0.0 && bad.load(Ordering::Relaxed) {
                throw(7);
            }
            ControlFlow::Continue(())
        })
        .reuse_arenas(true)
        .build()
        .unwrap();
    let request = worked_example().encode();
    assert_eq!(thrown(|| session.schedule(&request)), 7);
    bad.store(false, Ordering::Relaxed);
    let answer = session.schedule(&request).unwrap();
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), Some(250));
}

#[test]
fn the_last_progress_is_too_late_to_cancel_but_not_to_panic() {
    let session = Session::builder()
        .progress(|progress| {
            if progress.fraction == 1.0 {
                throw(8);
            }
            ControlFlow::Continue(())
        })
        .build()
        .unwrap();
    assert_eq!(thrown(|| session.schedule(&worked_example().encode())), 8);
}

#[test]
fn no_closure_of_the_call_runs_after_a_panic() {
    let panicked = AtomicBool::new(false);
    let session = Session::builder()
        .log(|_, _| {
            assert!(!panicked.swap(true, Ordering::Relaxed));
            throw(9);
        })
        .progress(|_| {
            assert!(!panicked.load(Ordering::Relaxed));
            ControlFlow::Continue(())
        })
        .build()
        .unwrap();
    assert_eq!(thrown(|| session.schedule(&worked_example().encode())), 9);
}

#[test]
fn panics_of_nested_calls_belong_to_the_innermost() {
    let caught = AtomicU64::new(0);
    let inner = Session::builder().progress(|_| throw(10)).build().unwrap();
    let outer = Session::builder()
        .oracle(|request| {
            assert_eq!(thrown(|| inner.schedule(&EMPTY)), 10);
            caught.fetch_add(1, Ordering::Relaxed);
            let price = simulate(request)?;
            let makespan = Message::new(&price).uint(1)?.unwrap_or(0);
            Ok(OracleResponse::placed(makespan).encode())
        })
        .build()
        .unwrap();
    let answer = outer.schedule(&for_host_oracle()).unwrap();
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), Some(250));
    assert!(caught.load(Ordering::Relaxed) >= 2);

    // And go through both calls where nobody catches them.
    let outer = Session::builder()
        .oracle(|_| Ok(inner.schedule(&EMPTY)?.to_vec()))
        .build()
        .unwrap();
    assert_eq!(thrown(|| outer.schedule(&for_host_oracle())), 10);
    torqsched::schedule(&EMPTY).unwrap();
}

#[test]
fn threads_panic_apart() {
    // Each thread's oracle panics with the number of its own call, or does not.
    thread_local!(static CALL: Cell<u64> = const { Cell::new(0) });
    let session = Session::builder()
        .oracle(|_| match CALL.with(Cell::get) {
            odd if odd % 2 == 1 => throw(odd),
            _ => Ok(OracleResponse::not_placed("").encode()),
        })
        .build()
        .unwrap();
    let request = for_host_oracle();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (session, request) = (&session, &request);
            scope.spawn(move || {
                for call in (0..200).map(|round| thread * 1000 + round) {
                    CALL.with(|number| number.set(call));
                    if call % 2 == 1 {
                        assert_eq!(thrown(|| session.schedule(request)), call);
                    } else {
                        session.schedule(request).unwrap();
                    }
                }
            });
        }
    });
}

/// Calls a session when its thread ends.
struct CallsWhenDropped {
    session: Session<'static>,
    panics: Arc<AtomicU64>,
}

impl Drop for CallsWhenDropped {
    fn drop(&mut self) {
        let answer = catch_unwind(AssertUnwindSafe(|| self.session.schedule(&EMPTY)));
        self.panics
            .fetch_add(u64::from(answer.is_err()), Ordering::Relaxed);
    }
}

#[test]
fn a_call_while_its_thread_ends() {
    thread_local! {
        static LAST: RefCell<Option<CallsWhenDropped>> = const { RefCell::new(None) };
    }
    let panics = Arc::new(AtomicU64::new(0));
    let session = Session::builder().progress(|_| throw(11)).build().unwrap();
    let last = CallsWhenDropped {
        session,
        panics: Arc::clone(&panics),
    };
    std::thread::spawn(|| LAST.with(|slot| *slot.borrow_mut() = Some(last)))
        .join()
        .unwrap();
    assert_eq!(panics.load(Ordering::Relaxed), 1);
}
