//! What an oracle closure answers.

use crate::wire::Writer;

/// The answer of a host's oracle about one order, a `torqsched.v1.OracleResponse` without offsets:
/// see [`SessionBuilder::oracle`](crate::SessionBuilder::oracle).
///
/// The bytes of the `torqsched.v1.OracleRequest` that the closure gets are also a
/// `torqsched.v1.SimulateRequest` (fields 1 to 5 are the same; field 6, whether swaps are allowed,
/// is read as whether a timeline is wanted), so the price of the order is one call away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleResponse {
    placed: bool,
    swaps: u64,
    makespan: Option<u64>,
    message: String,
}

impl OracleResponse {
    /// Every buffer got its range, and the order takes so many cycles, swaps included.
    #[must_use]
    pub fn placed(makespan: u64) -> Self {
        OracleResponse {
            placed: true,
            swaps: 0,
            makespan: Some(makespan),
            message: String::new(),
        }
    }

    /// The order cannot be placed; the reason is for people, and may be empty.
    #[must_use]
    pub fn not_placed(reason: impl Into<String>) -> Self {
        OracleResponse {
            placed: false,
            swaps: 0,
            makespan: None,
            message: reason.into(),
        }
    }

    /// How many evictions it takes; none unless it is said. Only where swaps are allowed (field 6
    /// of the request).
    #[must_use]
    pub fn swaps(mut self, swaps: u64) -> Self {
        self.swaps = swaps;
        self
    }

    /// The serialized response.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        Writer::new()
            .uint_unless_zero(1, u64::from(self.placed))
            .uint_unless_zero(2, self.swaps)
            .uint_if_set(3, self.makespan)
            .text_unless_empty(5, &self.message)
            .into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes() {
        assert_eq!(OracleResponse::placed(0).encode(), [0x08, 1, 0x18, 0]);
        assert_eq!(
            OracleResponse::placed(300).swaps(2).encode(),
            [8, 1, 16, 2, 24, 0xac, 2]
        );
        assert_eq!(
            OracleResponse::not_placed("no").encode(),
            [0x2a, 2, b'n', b'o']
        );
        assert_eq!(OracleResponse::not_placed("").encode(), []);
    }
}
