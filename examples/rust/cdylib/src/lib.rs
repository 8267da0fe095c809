//! A shared object with the library inside, and one function for a host in C: ../main.c loads it.
//!
//!     export TORQSCHED_LIB_DIR=$PWD/sdk/lib
//!     cargo build --offline --manifest-path examples/rust/cdylib/Cargo.toml

#![deny(unsafe_op_in_unsafe_fn)]

use std::panic::catch_unwind;

use torqsched::wire::Message;

/// What a request takes before and after, cycles. Gives 0, or the number of a torqsched_code, or
/// -1 where the request is not placed or the response is not understood.
///
/// # Safety
///
/// `request` points to `size` bytes, a serialized torqsched.v1.ScheduleRequest; `makespans` to two
/// numbers, which are written where 0 is given.
#[no_mangle]
pub unsafe extern "C" fn example_makespans(
    request: *const u8,
    size: usize,
    makespans: *mut u64,
) -> i32 {
    let request = if size == 0 {
        &[]
    } else {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(request, size) }
    };
    // No panic may leave for C. (None is expected: this calls no closures.)
    let answer = catch_unwind(|| {
        let response = torqsched::schedule(request).map_err(|error| error.code().number())?;
        let response = Message::new(&response);
        let cycles = |number| response.uint(number).ok().flatten().ok_or(-1);
        let bar = cycles(14).or_else(|_| cycles(9))?; // no bar: the input order cannot be placed
        Ok([bar, cycles(8)?])
    });
    match answer {
        Ok(Ok([before, after])) => {
            // SAFETY: the caller's promise.
            unsafe {
                makespans.write(before);
                makespans.add(1).write(after);
            }
            0
        }
        Ok(Err(code)) => code,
        Err(_) => -1,
    }
}
