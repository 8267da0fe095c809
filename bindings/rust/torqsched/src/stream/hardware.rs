//! A chip, as numbers.

use std::collections::BTreeMap;

use crate::wire::Writer;

const PROFILE: u32 = 1;
const REGION_BYTES: u32 = 20;

/// A chip: a profile's name and the numbers that differ from the profile's, a
/// `torqsched.v1.Hardware`. By default the chip of profile sl2610.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    profile: String,
    /// By field number.
    numbers: BTreeMap<u32, u64>,
    region_bytes: Vec<u64>,
}

/// Setters of numbers: documentation, name, type, field number.
macro_rules! numbers {
    ($($(#[$documentation:meta])* $name:ident: $kind:ty = $number:literal;)*) => {
        $(
            $(#[$documentation])*
            #[must_use]
            pub fn $name(mut self, value: $kind) -> Self {
                self.numbers.insert($number, u64::from(value));
                self
            }
        )*
    };
}

impl Hardware {
    /// The chip of profile sl2610.
    #[must_use]
    pub fn new() -> Self {
        Hardware::default()
    }

    /// The chip of a profile of the library's. A name that it does not know is
    /// [`Code::NotFound`](crate::Code::NotFound).
    #[must_use]
    pub fn profile(name: impl Into<String>) -> Self {
        Hardware {
            profile: name.into(),
            ..Hardware::default()
        }
    }

    numbers! {
        /// Size of LRAM, bytes.
        lram_bytes: u64 = 2;
        /// Bytes of LRAM from its start that no buffer may use; offsets count from behind them.
        lram_reserved_bytes: u64 = 3;
        /// Offsets in LRAM are multiples of so many bytes, at least 1.
        alignment: u64 = 4;
        /// How many programs run at once, 1 to 64.
        slices: u32 = 5;
        /// A buffer of fewer bytes takes the lowest free range of LRAM, any other the highest.
        small_buffer_bytes: u64 = 6;
        /// What a start costs the stream, cycles.
        start_cycles: u64 = 7;
        /// DMA cost as a ratio: these bytes take [`Hardware::dma_cycles`], which is set as well.
        dma_bytes: u64 = 8;
        /// The other half of that ratio, cycles.
        dma_cycles: u64 = 9;
        /// DMA engines, 1 to 64.
        dma_engines: u32 = 10;
        /// The stream pays one transfer before every so many-th op that is not pure; 0: none.
        block_ops: u64 = 11;
        /// Size of that transfer, bytes.
        block_bytes: u64 = 12;
        /// Cycles a second, to show times to people; 0: not known.
        clock_hz: u64 = 13;
        /// For lowering networks: tiles are cut at multiples of so many elements, at least 1.
        granule: u64 = 14;
        /// For lowering: 8-bit multiply-accumulates of one slice in a cycle, at least 1.
        int8_macs_per_cycle: u64 = 15;
        /// For lowering: bfloat16 multiply-accumulates of one slice in a cycle, at least 1.
        bf16_macs_per_cycle: u64 = 16;
        /// For lowering: bytes of elementwise work of one slice in a cycle, at least 1.
        elementwise_bytes_per_cycle: u64 = 17;
        /// For lowering: no program takes fewer cycles.
        least_program_cycles: u64 = 18;
        /// For lowering: bytes of LRAM that the code of one program takes.
        code_buffer_bytes: u64 = 19;
        /// LRAM is cut into banks of so many bytes from its very start; 0: there are none.
        bank_bytes: u64 = 21;
        /// DMA engines that stores have for themselves, at most 64; 0: they share those of loads.
        store_engines: u32 = 22;
        /// Whether the stream goes on while a transfer runs.
        non_blocking_transfers: bool = 23;
        /// What issuing a transfer that does not block costs the stream, cycles.
        transfer_issue_cycles: u64 = 24;
    }

    /// Usable LRAM consists of regions of so many bytes each, and no buffer lies in two of them.
    #[must_use]
    pub fn region_bytes(mut self, regions: impl IntoIterator<Item = u64>) -> Self {
        self.region_bytes = regions.into_iter().collect();
        self
    }

    /// The serialized `torqsched.v1.Hardware`; no bytes where nothing is set.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let numbers = |writer: Writer, range: std::ops::Range<u32>| {
            let numbers = self.numbers.range(range);
            numbers.fold(writer, |writer, (&number, &value)| {
                writer.uint(number, value)
            })
        };
        let mut writer = Writer::new().text_unless_empty(PROFILE, &self.profile);
        writer = numbers(writer, PROFILE..REGION_BYTES);
        writer = writer.uints(REGION_BYTES, self.region_bytes.iter().copied());
        numbers(writer, REGION_BYTES..u32::MAX).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Message;

    #[test]
    fn fields_are_in_ascending_order_and_zero_is_said() {
        let bytes = Hardware::profile("sl2610")
            .non_blocking_transfers(false)
            .slices(2)
            .region_bytes([100, 200])
            .lram_reserved_bytes(0)
            .slices(4)
            .encode();
        let hardware = Message::new(&bytes);
        let numbers: Vec<u32> = hardware
            .fields()
            .map(|field| field.unwrap().number)
            .collect();
        assert_eq!(numbers, [1, 3, 5, 20, 23]);
        assert_eq!(hardware.text(1), Ok(Some("sl2610")));
        assert_eq!(hardware.uint(3), Ok(Some(0)));
        assert_eq!(hardware.uint(5), Ok(Some(4)));
        assert_eq!(hardware.uints(20), Ok(vec![100, 200]));
        assert_eq!(hardware.uint(23), Ok(Some(0)));
        assert_eq!(Hardware::new().encode(), []);
    }
}
