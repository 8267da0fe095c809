//! Log, progress and oracle closures: what they are told, what their answers do, and what becomes
//! of those that call back into their session.

mod common;

use common::{for_host_oracle, response, table, tuned_table, uint, worked_example, EMPTY};
use std::error::Error as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use torqsched::stream::{Oracle, ScheduleOptions, Strategy};
use torqsched::wire::{Message, Writer};
use torqsched::{simulate, Code, Error, LogLevel, OracleError, OracleResponse, Progress, Session};

/// Places every order, at its price without swaps.
fn price(request: &[u8]) -> Result<Vec<u8>, OracleError> {
    let price = simulate(request)?;
    let makespan = Message::new(&price).uint(1)?.unwrap_or(0);
    Ok(OracleResponse::placed(makespan).encode())
}

#[test]
fn a_host_oracle() {
    let asked = AtomicU64::new(0);
    let session = Session::builder()
        .oracle(|request| {
            asked.fetch_add(1, Ordering::Relaxed);
            price(request)
        })
        .build()
        .unwrap();
    let answer = session.schedule(&for_host_oracle()).unwrap();
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), Some(250));
    let statistics = Message::new(&answer)
        .message(response::STATISTICS)
        .unwrap()
        .unwrap();
    assert_eq!(statistics.uint(6), Ok(Some(asked.load(Ordering::Relaxed))));
    assert!(asked.load(Ordering::Relaxed) >= 2);
    // No offsets were told, so order, slices and price are checked.
    let checked = torqsched::verify(&worked_example().encode_verify(&answer)).unwrap();
    assert_eq!(Message::new(&checked).messages(1).unwrap(), []);
}

#[test]
fn an_oracle_that_refuses_everything() {
    let session = Session::builder()
        .oracle(|_| Ok(OracleResponse::not_placed("the host has no room").encode()))
        .build()
        .unwrap();
    let answer = session.schedule(&for_host_oracle()).unwrap();
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), None);
    // An answer of no bytes says the same.
    let session = Session::builder()
        .oracle(|_| Ok(Vec::new()))
        .build()
        .unwrap();
    let answer = session.schedule(&for_host_oracle()).unwrap();
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), None);
}

#[test]
fn an_oracle_that_fails_is_the_source_of_the_error() {
    let asked = AtomicU64::new(0);
    let session = Session::builder()
        .oracle(|_| {
            asked.fetch_add(1, Ordering::Relaxed);
            Err("the allocator of the host is on fire".into())
        })
        .build()
        .unwrap();
    let error = session.schedule(&for_host_oracle()).unwrap_err();
    assert_eq!(error.code(), Code::Aborted);
    let source = error.source().unwrap();
    assert_eq!(source.to_string(), "the allocator of the host is on fire");
    assert_eq!(asked.load(Ordering::Relaxed), 1);

    // Errors of the library pass through as well.
    let session = Session::builder()
        .oracle(|_| price(b"\xff"))
        .build()
        .unwrap();
    let error = session.schedule(&for_host_oracle()).unwrap_err();
    let source: &Error = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!(source.code(), Code::InvalidArgument);
    assert!(error.clone().source().is_some());

    // A later call has none of it.
    let error = session.schedule(b"\xff").unwrap_err();
    assert!(error.source().is_none());
}

#[test]
fn bad_oracle_responses() {
    let placed_without_makespan = Writer::new().uint(1, 1).into_bytes();
    let swaps_without_leave = OracleResponse::placed(410).swaps(1).encode();
    for bad in [
        b"\xff".to_vec(),
        placed_without_makespan,
        swaps_without_leave,
    ] {
        let session = Session::builder()
            .oracle(move |_| Ok(bad.clone()))
            .build()
            .unwrap();
        let request = worked_example()
            .options(
                ScheduleOptions::new()
                    .oracle(Oracle::Host)
                    .swaps_forbidden(true),
            )
            .encode();
        let error = session.schedule(&request).unwrap_err();
        assert_eq!(error.code(), Code::Internal, "{error}");
        assert!(
            error.field().unwrap().starts_with("oracle_response"),
            "{error}"
        );
    }
    // Any bytes do no harm.
    let good = OracleResponse::placed(410).swaps(1).encode();
    for at in 0..good.len() {
        for byte in 0..=255 {
            let mut bytes = good.clone();
            bytes[at] = byte;
            let session = Session::builder()
                .oracle(|_| Ok(bytes.clone()))
                .build()
                .unwrap();
            let _ = session.schedule(&for_host_oracle());
        }
    }
}

#[test]
fn a_log() {
    let lines = Mutex::new(Vec::new());
    let session = Session::builder()
        .log(|level, line| lines.lock().unwrap().push((level, line.to_owned())))
        .build()
        .unwrap();
    session.schedule(&worked_example().encode()).unwrap();
    let lines = lines.lock().unwrap();
    assert!(!lines.is_empty());
    for (level, line) in lines.iter() {
        assert_eq!(*level, LogLevel::Info);
        assert!(!line.is_empty() && !line.ends_with('\n'));
    }
}

#[test]
fn progress_goes_from_0_to_1() {
    let told = Mutex::new(Vec::new());
    let session = Session::builder()
        .progress(|progress: Progress| {
            told.lock().unwrap().push(progress);
            ControlFlow::Continue(())
        })
        .build()
        .unwrap();
    let answer = session.schedule(&worked_example().encode()).unwrap();
    assert_eq!(
        answer,
        torqsched::schedule(&worked_example().encode()).unwrap()
    );
    {
        let told = told.lock().unwrap();
        let (first, last) = (told.first().unwrap(), told.last().unwrap());
        assert_eq!((first.fraction, first.best_makespan), (0.0, None));
        assert_eq!((last.fraction, last.best_makespan), (1.0, Some(250)));
        assert!(told
            .windows(2)
            .all(|pair| pair[0].fraction <= pair[1].fraction));
    }
    told.lock().unwrap().clear();
    session
        .allocate(&worked_example().encode_without_options())
        .unwrap();
    assert!(!told.lock().unwrap().is_empty());
    told.lock().unwrap().clear();
    session.lower(&table()).unwrap();
    assert!(told.lock().unwrap().is_empty());
    session.lower(&tuned_table()).unwrap();
    assert!(!told.lock().unwrap().is_empty());
}

#[test]
fn progress_cancels() {
    // At once: there is no answer yet.
    let session = Session::builder()
        .progress(|_| ControlFlow::Break(()))
        .build()
        .unwrap();
    let error = session.schedule(&worked_example().encode()).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
    let error = session
        .allocate(&worked_example().encode_without_options())
        .map(|answer| assert_eq!(uint(&answer, 10), Some(1)));
    assert!(error.is_ok() || error.unwrap_err().code() == Code::Cancelled);
    // A table is lowered before budgets are tried.
    let answer = session.lower(&tuned_table()).unwrap();
    let tuning = Message::new(&answer).message(5).unwrap().unwrap();
    assert_eq!(tuning.uint(7), Ok(Some(1))); // cancelled

    // With an answer in hand: that is given, and marked, and nobody is asked again.
    let after = AtomicU64::new(0);
    let session = Session::builder()
        .progress(|progress| match progress.best_makespan {
            None => ControlFlow::Continue(()),
            Some(_) => {
                after.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Break(())
            }
        })
        .build()
        .unwrap();
    let request = worked_example()
        .options(ScheduleOptions::new().strategy(Strategy::Optimize))
        .encode();
    let answer = session.schedule(&request).unwrap();
    assert_eq!(uint(&answer, response::CANCELLED), Some(1));
    assert_eq!(after.load(Ordering::Relaxed), 1);
}

/// A session whose closures know the session.
struct Knot {
    session: Session<'static>,
}

#[test]
fn a_closure_may_not_call_its_own_session() {
    let codes: Arc<Mutex<Vec<Code>>> = Arc::default();
    let knot = {
        let codes = Arc::clone(&codes);
        Arc::new_cyclic(|knot: &Weak<Knot>| {
            let knot = knot.clone();
            let session = Session::builder()
                .oracle(move |request| {
                    let knot = knot.upgrade().ok_or("the session is gone")?;
                    let requests: [&[u8]; 2] = [request, &EMPTY];
                    for again in requests {
                        let error = knot.session.schedule(again).unwrap_err();
                        codes.lock().unwrap().push(error.code());
                        let error = knot.session.simulate(again).unwrap_err();
                        codes.lock().unwrap().push(error.code());
                    }
                    // Another session, and none, are fine, within it and afterwards.
                    Session::builder().build()?.schedule(&EMPTY)?;
                    price(request)
                })
                .build()
                .unwrap();
            Knot { session }
        })
    };
    let answer = knot.session.schedule(&for_host_oracle()).unwrap();
    assert_eq!(uint(&answer, response::ALLOCATED_MAKESPAN), Some(250));
    let codes = codes.lock().unwrap();
    assert!(codes.len() >= 8);
    assert!(codes.iter().all(|code| *code == Code::FailedPrecondition));
}

#[test]
fn a_closure_may_call_its_session_on_another_thread() {
    let knot = Arc::new_cyclic(|knot: &Weak<Knot>| {
        let knot = knot.clone();
        let session = Session::builder()
            .oracle(move |request| {
                let knot = knot.upgrade().ok_or("the session is gone")?;
                std::thread::spawn(move || knot.session.schedule(&EMPTY).map(drop))
                    .join()
                    .map_err(|_| "the thread panicked")??;
                price(request)
            })
            .build()
            .unwrap();
        Knot { session }
    });
    knot.session.schedule(&for_host_oracle()).unwrap();
}

#[test]
fn closures_end_with_their_session() {
    let token = Arc::new(());
    let builder = |token: &Arc<()>| {
        let (one, two, three) = (token.clone(), token.clone(), token.clone());
        Session::builder()
            .log(move |_, _| drop(one.clone()))
            .progress(move |_| {
                drop(two.clone());
                ControlFlow::Continue(())
            })
            .oracle(move |request| {
                drop(three.clone());
                price(request)
            })
    };
    let session = builder(&token).build().unwrap();
    session.schedule(&for_host_oracle()).unwrap();
    assert_eq!(Arc::strong_count(&token), 4);
    drop(session);
    assert_eq!(Arc::strong_count(&token), 1);
    // Also where there never was one.
    drop(builder(&token));
    assert!(builder(&token).worker_threads(9999).build().is_err());
    assert_eq!(Arc::strong_count(&token), 1);
}

#[test]
fn closures_that_are_set_twice() {
    let session = Session::builder()
        .progress(|_| panic!("replaced"))
        .progress(|_| ControlFlow::Continue(()))
        .build()
        .unwrap();
    session.schedule(&EMPTY).unwrap();
    assert!(format!("{session:?}").starts_with("Session"));
}
