//! Damaged requests: each is a response or an error, and nothing else.

mod common;

use common::{residency, rounds, table, tiles, warm, worked_example};
use torqsched::{
    allocate, judge_warm, lower, plan_residency, plan_tiles, plan_warm, schedule, simulate, verify,
    Session,
};

#[test]
fn every_prefix_and_every_damaged_byte() {
    let request = worked_example();
    let answer = schedule(&request.encode()).unwrap();
    let session = Session::builder()
        .memory_limit_bytes(64 << 20)
        .reuse_arenas(true)
        .build()
        .unwrap();
    let check = request.encode_verify(&answer);
    let try_all = |bytes: &[u8]| {
        for result in [
            schedule(bytes),
            simulate(bytes),
            allocate(bytes),
            plan_residency(bytes),
            plan_warm(bytes),
            judge_warm(bytes),
            plan_tiles(bytes),
            lower(bytes),
            verify(bytes),
        ] {
            if let Err(error) = result {
                assert!(!error.message().is_empty());
            }
        }
        let _ = session.schedule(bytes);
        let _ = session.plan_residency(bytes);
        let _ = session.plan_warm(bytes);
        let _ = session.judge_warm(bytes);
        let _ = session.plan_tiles(bytes);
        let _ = session.lower(bytes);
        let _ = session.verify(bytes);
    };
    let plan = residency(1000, &["y", "z"]);
    let judge = rounds(1_000_000, 980_000);
    for bytes in [
        request.encode(),
        check,
        plan,
        warm(),
        judge,
        tiles(128),
        table(),
    ] {
        for size in 0..bytes.len() {
            try_all(&bytes[..size]);
        }
        for at in 0..bytes.len() {
            for damage in [0x01, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= damage;
                try_all(&damaged);
            }
        }
    }
}
