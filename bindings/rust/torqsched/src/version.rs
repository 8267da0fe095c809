//! Whether the library that was linked is the one that these bindings were written for.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

use torqsched_sys as sys;

use crate::error::{Code, Error};

/// The version of the library that was linked, such as "0.1.0".
#[must_use]
pub fn version() -> &'static str {
    // SAFETY: the library gives static text that a zero byte ends.
    let version = unsafe { CStr::from_ptr(sys::torqsched_version()) };
    version.to_str().unwrap_or("not UTF-8")
}

/// The interface version of the library that was linked: major * 1000 + minor.
#[must_use]
pub fn abi_version() -> u32 {
    // SAFETY: takes nothing, gives a number.
    unsafe { sys::torqsched_abi_version() }
}

/// Whether the library that was linked serves these bindings. Every call checks it by itself, and
/// remembers that it does.
///
/// # Errors
///
/// [`Code::FailedPrecondition`]: the library is of another version.
pub fn check_abi() -> Result<(), Error> {
    // Whoever comes second asks once more or does not; the answer is the same.
    static CHECKED: AtomicBool = AtomicBool::new(false);
    if CHECKED.load(Ordering::Relaxed) {
        return Ok(());
    }
    // SAFETY: takes a number and gives one.
    let code = unsafe { sys::torqsched_check_abi(sys::TORQSCHED_ABI_VERSION) };
    if code != sys::TORQSCHED_OK {
        return Err(Error::new(
            Code::FailedPrecondition,
            format!(
                "libtorqsched is version {}, interface version {}; these bindings were written \
                 for interface version {}",
                version(),
                abi_version(),
                sys::TORQSCHED_ABI_VERSION
            ),
        ));
    }
    CHECKED.store(true, Ordering::Relaxed);
    Ok(())
}
