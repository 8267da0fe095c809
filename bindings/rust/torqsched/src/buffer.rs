//! Bytes that the library allocated.

use std::fmt;
use std::ops::Deref;
use std::slice;

use torqsched_sys as sys;

/// A response: bytes that the library allocated, freed when this is dropped. It derefs to the
/// bytes of one serialized message, which may be none at all (all fields at their defaults).
pub struct Buffer {
    raw: sys::torqsched_buffer,
}

// SAFETY: the buffer owns its bytes alone. The library frees on any thread, and nothing but `drop`
// and `into_raw`, which take the buffer itself, does more than read them.
unsafe impl Send for Buffer {}
// SAFETY: as above; through a shared reference the bytes are only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Takes over what the C interface gave.
    ///
    /// # Safety
    ///
    /// `raw` came from the library, or holds null and 0, and nobody else frees it.
    #[must_use]
    pub unsafe fn from_raw(raw: sys::torqsched_buffer) -> Self {
        Buffer { raw }
    }

    /// Hands the bytes to a host of the C interface, which frees them with
    /// `torqsched_buffer_free`.
    #[must_use]
    pub fn into_raw(self) -> sys::torqsched_buffer {
        let raw = sys::torqsched_buffer {
            data: self.raw.data,
            size: self.raw.size,
        };
        std::mem::forget(self);
        raw
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.raw.size == 0 {
            return &[];
        }
        // SAFETY: the library allocated `size` bytes at `data` and filled them; they stay until
        // `self` is dropped, and its answers are smaller than 2 GiB.
        unsafe { slice::from_raw_parts(self.raw.data.cast::<u8>(), self.raw.size) }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Buffer {}

impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bytes are for programs: their number says more to people.
        write!(formatter, "Buffer({} bytes)", self.len())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the buffer is the library's own, or empty, and freed here only.
        unsafe { sys::torqsched_buffer_free(&mut self.raw) }
    }
}
