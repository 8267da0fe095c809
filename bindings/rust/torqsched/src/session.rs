//! Sessions: settings and closures that calls share.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::ptr::{null_mut, NonNull};

use torqsched_sys as sys;

use crate::buffer::Buffer;
use crate::call::{call, Entry};
use crate::callbacks::{CallNotes, Callbacks, LogLevel, Progress};
use crate::error::{Code, Error, OracleError};
use crate::version::check_abi;

/// Makes a [`Session`]: see [`Session::builder`]. What is not set has the library's default.
#[must_use]
pub struct SessionBuilder<'a> {
    options: sys::torqsched_session_options,
    callbacks: Callbacks<'a>,
}

impl<'a> SessionBuilder<'a> {
    /// The bytes that one call may take, by the estimate that `torqsched.h` tells. A request that
    /// is too large is [`Code::ResourceExhausted`] before the work begins. 0, the default: no
    /// limit.
    pub fn memory_limit_bytes(mut self, bytes: u64) -> Self {
        self.options.memory_limit_bytes = bytes;
        self
    }

    /// How many threads a call may use, at most 1024. 0, the default: the library chooses. Answers
    /// are the same bytes for any number; calls of version 0.1 work on the calling thread only.
    pub fn worker_threads(mut self, threads: u32) -> Self {
        self.options.worker_threads = threads;
        self
    }

    /// Whether the session keeps the memory of messages for later calls: up to 8 blocks as large
    /// as the largest request, of 64 MiB at most. Worth it for many small calls. Default: no.
    pub fn reuse_arenas(mut self, reuse: bool) -> Self {
        self.options.reuse_arenas = u32::from(reuse);
        self
    }

    /// Is told what a call remarks while it works: one line, for people.
    pub fn log(mut self, log: impl Fn(LogLevel, &str) + Send + Sync + 'a) -> Self {
        self.callbacks.log = Some(Box::new(log));
        self
    }

    /// Is told how far a call is, and breaks it off with [`ControlFlow::Break`]. The call then
    /// gives its best answer so far, in a response that is marked cancelled, or, where there is
    /// none, [`Code::Cancelled`]. [`Session::schedule`] and [`Session::allocate`] ask a few times
    /// in each call, searches now and then, [`Session::lower`] while it tries budgets; the other
    /// calls do not ask.
    pub fn progress(
        mut self,
        progress: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.progress = Some(Box::new(progress));
        self
    }

    /// The host's own allocator, for requests whose `options.oracle` is HOST. It gets a serialized
    /// `torqsched.v1.OracleRequest` (an order) and answers a serialized
    /// `torqsched.v1.OracleResponse`: whether the order can be placed and what it takes then. That
    /// it cannot be placed is an answer as well; see [`OracleResponse`](crate::OracleResponse).
    ///
    /// With `Err` the call is given up: it is [`Code::Aborted`], and the error is the source of
    /// the call's. A response that does not parse or contradicts itself is [`Code::Internal`].
    pub fn oracle(
        mut self,
        oracle: impl Fn(&[u8]) -> Result<Vec<u8>, OracleError> + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.oracle = Some(Box::new(oracle));
        self
    }

    /// Makes the session.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidArgument`]: a number is out of range. [`Code::ResourceExhausted`]: out of
    /// memory. [`Code::FailedPrecondition`]: see [`check_abi`].
    pub fn build(self) -> Result<Session<'a>, Error> {
        check_abi()?;
        let mut options = self.options;
        let callbacks = if self.callbacks.is_empty() {
            None
        } else {
            self.callbacks.enter(&mut options);
            let callbacks = NonNull::from(Box::leak(Box::new(self.callbacks)));
            options.user = callbacks.as_ptr().cast();
            Some(callbacks)
        };
        // From here on the callbacks are freed with the session, also where none is made.
        let mut session = Session {
            raw: null_mut(),
            callbacks,
            closures: PhantomData,
        };
        let mut error = sys::torqsched_buffer::EMPTY;
        // SAFETY: the pointers are to live values; the callbacks that `options` names fit `user`,
        // which lives as long as the session.
        let code = unsafe { sys::torqsched_session_new(&options, &mut session.raw, &mut error) };
        // SAFETY: the library filled `error`, and nobody else frees it.
        let error = unsafe { Buffer::from_raw(error) };
        if code == sys::TORQSCHED_OK {
            Ok(session)
        } else {
            Err(Error::from_answer(code, &error))
        }
    }
}

impl fmt::Debug for SessionBuilder<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SessionBuilder")
            .field("memory_limit_bytes", &self.options.memory_limit_bytes)
            .field("worker_threads", &self.options.worker_threads)
            .field("reuse_arenas", &(self.options.reuse_arenas != 0))
            .finish_non_exhaustive()
    }
}

/// Settings and closures that calls share: a memory limit, threads, and what is told and asked
/// while a call works.
///
/// A session is immutable: any number of threads may call it at once, and all of them then run its
/// closures, each on its own thread. `'a` is what the closures borrow (`'static`: nothing).
///
/// # Closures
///
/// A closure may call another session, or the functions of this crate that need none. A call of
/// the session that it serves is [`Code::FailedPrecondition`].
///
/// **Panics.** A closure that panics is stopped at the border to the library, which never sees the
/// panic. The call ends as soon as the library can end it, none of its closures is run again, its
/// answer is dropped, and the panic goes on in the caller of the call, as if the call had run the
/// closure itself. A library that is called from C catches it there (`std::panic::catch_unwind`).
/// The session, and calls of other threads, go on.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use torqsched::Session;
///
/// let asked = AtomicU32::new(0);
/// let session = Session::builder()
///     .memory_limit_bytes(1 << 30)
///     .progress(|progress| {
///         asked.fetch_add(1, Ordering::Relaxed);
///         assert!((0.0..=1.0).contains(&progress.fraction));
///         ControlFlow::Continue(())
///     })
///     .build()?;
/// session.schedule(&[0x0a, 0x00])?; // an empty stream
/// assert!(asked.load(Ordering::Relaxed) > 0);
/// # Ok::<(), torqsched::Error>(())
/// ```
pub struct Session<'a> {
    /// Null only while it is made.
    raw: *mut sys::torqsched_session,
    /// A box that the library points to; freed after the session.
    callbacks: Option<NonNull<Callbacks<'a>>>,
    closures: PhantomData<Callbacks<'a>>,
}

// SAFETY: the library's sessions are immutable and belong to no thread; closures are `Send`.
unsafe impl Send for Session<'_> {}
// SAFETY: the library serves any number of threads at once from one session; closures are `Sync`.
unsafe impl Sync for Session<'_> {}

impl<'a> Session<'a> {
    /// Starts a session; end with [`SessionBuilder::build`].
    pub fn builder() -> SessionBuilder<'a> {
        SessionBuilder {
            options: sys::TORQSCHED_SESSION_OPTIONS_INIT,
            callbacks: Callbacks::default(),
        }
    }

    /// As [`schedule`](crate::schedule()), with the settings of this session. Runs all closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    ///
    /// # Panics
    ///
    /// Where a closure did.
    pub fn schedule(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_schedule, request)
    }

    /// As [`simulate`](crate::simulate()), with the settings of this session. Runs no closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    pub fn simulate(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_simulate, request)
    }

    /// As [`allocate`](crate::allocate()), with the settings of this session. Runs the progress
    /// closure.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    ///
    /// # Panics
    ///
    /// Where a closure did.
    pub fn allocate(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_allocate, request)
    }

    /// As [`plan_residency`](crate::plan_residency()), with the settings of this session. Runs no
    /// closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    pub fn plan_residency(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_plan_residency, request)
    }

    /// As [`plan_warm`](crate::plan_warm()), with the settings of this session. Runs no closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    pub fn plan_warm(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_plan_warm, request)
    }

    /// As [`judge_warm`](crate::judge_warm()), with the settings of this session. Runs no closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    pub fn judge_warm(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_judge_warm, request)
    }

    /// As [`plan_tiles`](crate::plan_tiles()), with the settings of this session. Runs no closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    pub fn plan_tiles(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_plan_tiles, request)
    }

    /// As [`lower`](crate::lower()), with the settings of this session. Runs the progress closure
    /// where the request has `options.tuning`.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    ///
    /// # Panics
    ///
    /// Where a closure did.
    pub fn lower(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_lower, request)
    }

    /// As [`verify`](crate::verify()), with the settings of this session. Runs no closures.
    ///
    /// # Errors
    ///
    /// What the [`Error`] says: its [`Code`] is the kind.
    pub fn verify(&self, request: &[u8]) -> Result<Buffer, Error> {
        self.call(sys::torqsched_verify, request)
    }

    fn call(&self, entry: Entry, request: &[u8]) -> Result<Buffer, Error> {
        if self.callbacks.is_none() {
            // SAFETY: the session lives as long as `self`, which is borrowed during the call.
            return unsafe { call(entry, self.raw, request) };
        }
        let notes = CallNotes::default();
        // SAFETY: as above; the closures live as long as `self`, too.
        let answer = notes.during(|| unsafe { call(entry, self.raw, request) });
        if let Some(panic) = notes.take_panic() {
            drop(answer);
            resume_unwind(panic);
        }
        match (answer, notes.take_oracle_error()) {
            (Err(error), Some(source)) if error.code() == Code::Aborted => {
                Err(error.with_source(source))
            }
            (answer, _) => answer,
        }
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // SAFETY: calls borrow the session, so none is in it now; null is ignored.
        unsafe { sys::torqsched_session_free(self.raw) };
        if let Some(callbacks) = self.callbacks {
            // SAFETY: `build` leaked this box, and with the session the last that points to it is
            // gone.
            drop(unsafe { Box::from_raw(callbacks.as_ptr()) });
        }
    }
}
