//! Closures as C callbacks: what they answer goes over the border, what they throw does not.
//!
//! A closure that panics is caught here, inside of the call. Its panic, and the error that an
//! oracle closure may answer, wait in the call's `CallNotes` until the library has returned; these
//! lie on the caller's stack, where the callbacks find them by a thread-local pointer, for the
//! library calls back on the thread of the call only.

use std::any::Any;
use std::cell::Cell;
use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{addr_of, null};

use torqsched_sys as sys;

use crate::error::OracleError;

/// How much a remark of the library matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// For those who work on the library.
    Debug,
    /// How the call goes.
    Info,
    /// Something may not be as it was meant.
    Warning,
    /// Something is wrong.
    Error,
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Of the work done, 0 to 1; never less than before in one call.
    pub fraction: f64,
    /// What the best answer so far takes, cycles. `None`: no answer is in hand.
    pub best_makespan: Option<u64>,
}

pub(crate) type LogClosure<'a> = Box<dyn Fn(LogLevel, &str) + Send + Sync + 'a>;
pub(crate) type ProgressClosure<'a> = Box<dyn Fn(Progress) -> ControlFlow<()> + Send + Sync + 'a>;
pub(crate) type OracleClosure<'a> =
    Box<dyn Fn(&[u8]) -> Result<Vec<u8>, OracleError> + Send + Sync + 'a>;

/// The closures of a session: what its `user` pointer points to.
#[derive(Default)]
pub(crate) struct Callbacks<'a> {
    pub(crate) log: Option<LogClosure<'a>>,
    pub(crate) progress: Option<ProgressClosure<'a>>,
    pub(crate) oracle: Option<OracleClosure<'a>>,
}

impl Callbacks<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.log.is_none() && self.progress.is_none() && self.oracle.is_none()
    }

    /// Enters the callbacks that are needed. A panic in the log closure ends its call by way of
    /// the progress callback, which is therefore there with either of them.
    pub(crate) fn enter(&self, options: &mut sys::torqsched_session_options) {
        if self.log.is_some() {
            options.log = Some(on_log);
        }
        if self.progress.is_some() || self.log.is_some() {
            options.progress = Some(on_progress);
        }
        if self.oracle.is_some() {
            options.oracle = Some(on_oracle);
        }
    }
}

/// What closures leave behind during one call.
#[derive(Default)]
pub(crate) struct CallNotes {
    panicked: Cell<bool>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
    oracle_error: Cell<Option<OracleError>>,
}

impl CallNotes {
    /// The panic of a closure, to be resumed.
    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panic.take()
    }

    /// The error of the oracle closure.
    pub(crate) fn take_oracle_error(&self) -> Option<OracleError> {
        self.oracle_error.take()
    }

    /// Runs one call of the library, during which closures on this thread write to these notes.
    pub(crate) fn during<R>(&self, call: impl FnOnce() -> R) -> R {
        /// Puts the notes of the call outside, within whose closure this one was made, back.
        struct Restore(*const CallNotes);
        impl Drop for Restore {
            fn drop(&mut self) {
                INNERMOST.with(|innermost| innermost.set(self.0));
            }
        }
        let _restore = Restore(INNERMOST.with(|innermost| innermost.replace(self)));
        call()
    }
}

thread_local! {
    /// The notes of the innermost call that this thread is in, of sessions with closures. A plain
    /// pointer has no destructor, so it can be read even while the thread ends.
    static INNERMOST: Cell<*const CallNotes> = const { Cell::new(null()) };
}

/// What a callback returns to end its call: anything but 0.
const STOP: c_int = 1;

/// Runs a closure unless one of this call has panicked, and keeps its panic.
fn guarded<R>(when_stopped: R, run: impl FnOnce(&CallNotes) -> R) -> R {
    let notes = INNERMOST.with(Cell::get);
    // SAFETY: the pointer is null, or `during` set it to notes that outlive the call of the
    // library that this callback is part of; only this thread uses them.
    let notes = match unsafe { notes.as_ref() } {
        Some(notes) if !notes.panicked.get() => notes,
        _ => return when_stopped,
    };
    // The state of the closure may be half changed after a panic. Nobody sees it before the panic
    // goes on in `Session`, so this is as safe as a panic that was never caught.
    match catch_unwind(AssertUnwindSafe(|| run(notes))) {
        Ok(answer) => answer,
        Err(panic) => {
            notes.panicked.set(true);
            notes.panic.set(Some(panic));
            when_stopped
        }
    }
}

/// Safety: `user` points to the session's callbacks; `message` is text that a zero byte ends.
unsafe extern "C" fn on_log(user: *mut c_void, level: i32, message: *const c_char) {
    guarded((), |_| {
        // SAFETY: a session keeps its callbacks until it is dropped, and no call is in it then.
        let callbacks = unsafe { &*user.cast::<Callbacks<'_>>() };
        // SAFETY: the library's text ends with a zero byte, and is there until this returns.
        let message = unsafe { CStr::from_ptr(message) };
        if let Some(log) = &callbacks.log {
            log(level_of(level), &message.to_string_lossy());
        }
    });
}

fn level_of(number: i32) -> LogLevel {
    match number {
        i32::MIN..=sys::TORQSCHED_LOG_DEBUG => LogLevel::Debug,
        sys::TORQSCHED_LOG_INFO => LogLevel::Info,
        sys::TORQSCHED_LOG_WARNING => LogLevel::Warning,
        _ => LogLevel::Error,
    }
}

/// Safety: `user` points to the session's callbacks; `progress` to as many bytes as it says.
unsafe extern "C" fn on_progress(
    user: *mut c_void,
    progress: *const sys::torqsched_progress,
) -> c_int {
    guarded(STOP, |_| {
        // SAFETY: a session keeps its callbacks until it is dropped, and no call is in it then.
        let callbacks = unsafe { &*user.cast::<Callbacks<'_>>() };
        // SAFETY: the library filled the structure; it has had these members since version 0.1.
        let (fraction, has_best, best_makespan) = unsafe {
            (
                addr_of!((*progress).fraction).read(),
                addr_of!((*progress).has_best).read(),
                addr_of!((*progress).best_makespan).read(),
            )
        };
        let progress = Progress {
            fraction,
            best_makespan: (has_best != 0).then_some(best_makespan),
        };
        match callbacks.progress.as_ref().map(|closure| closure(progress)) {
            Some(ControlFlow::Break(())) => STOP,
            Some(ControlFlow::Continue(())) | None => 0,
        }
    })
}

/// Safety: `user` points to the session's callbacks; `request` to `request_size` bytes; `response`
/// to an initialised buffer.
unsafe extern "C" fn on_oracle(
    user: *mut c_void,
    request: *const c_void,
    request_size: usize,
    response: *mut sys::torqsched_buffer,
) -> c_int {
    guarded(STOP, |notes| {
        // SAFETY: a session keeps its callbacks until it is dropped, and no call is in it then.
        let callbacks = unsafe { &*user.cast::<Callbacks<'_>>() };
        let request: &[u8] = if request_size == 0 {
            &[]
        } else {
            // SAFETY: the library's request is that long, and is there until this returns.
            unsafe { std::slice::from_raw_parts(request.cast(), request_size) }
        };
        let answer = match &callbacks.oracle {
            Some(oracle) => oracle(request),
            None => return STOP,
        };
        match answer {
            Ok(answer) => {
                // SAFETY: the answer is as long as is said, and `response` is the library's empty
                // buffer, which it frees itself.
                let code = unsafe {
                    sys::torqsched_buffer_assign(response, answer.as_ptr().cast(), answer.len())
                };
                if code == sys::TORQSCHED_OK {
                    return 0;
                }
                notes
                    .oracle_error
                    .set(Some("out of memory for the oracle's answer".into()));
                STOP
            }
            Err(error) => {
                notes.oracle_error.set(Some(error));
                STOP
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        let levels = [-1, 0, 1, 2, 3, 4].map(level_of);
        use LogLevel::{Debug, Error, Info, Warning};
        assert_eq!(levels, [Debug, Debug, Info, Warning, Error, Error]);
    }

    #[test]
    fn a_callback_outside_of_a_call_stops() {
        assert_eq!(guarded(STOP, |_| 0), STOP);
    }

    #[test]
    fn notes_of_nested_calls_are_apart() {
        let outer = CallNotes::default();
        outer.during(|| {
            let inner = CallNotes::default();
            inner.during(|| {
                assert_eq!(guarded(STOP, |_| panic!("inner")), STOP);
                assert_eq!(guarded(STOP, |_| 0), STOP);
            });
            assert!(inner.take_panic().is_some());
            assert_eq!(guarded(STOP, |_| 0), 0);
        });
        assert!(outer.take_panic().is_none());
        assert_eq!(guarded(STOP, |_| 0), STOP);
    }
}
