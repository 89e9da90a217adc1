//! What a text costs in tokens of a language model, estimated.
//!
//! CJK characters count one token each, all others a quarter, and the sum is
//! rounded up (inkvault contract §6, `estimateTokens`). [`Estimate`] keeps the
//! two counts apart, so that texts are added without being read again and
//! without rounding in between.

use std::ops::{Add, AddAssign};

use super::characters::is_cjk;

/// The two counts an estimate is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// CJK characters.
    pub cjk: usize,
    /// All other characters, blanks and line ends included.
    pub other: usize,
}

impl Estimate {
    /// The counts of a text.
    pub fn of(text: &str) -> Self {
        let mut estimate = Self::default();
        for c in text.chars() {
            estimate.push(c);
        }
        estimate
    }

    /// Counts one character more.
    pub fn push(&mut self, c: char) {
        if is_cjk(c) {
            self.cjk += 1;
        } else {
            self.other += 1;
        }
    }

    /// Tokens, rounded up.
    pub fn total(self) -> u32 {
        let tokens = self.cjk.saturating_add(self.other.div_ceil(4));
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }
}

impl Add for Estimate {
    type Output = Self;

    /// The counts of two texts one after the other.
    fn add(self, more: Self) -> Self {
        Estimate {
            cjk: self.cjk + more.cjk,
            other: self.other + more.other,
        }
    }
}

impl AddAssign for Estimate {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

/// Tokens of a text.
pub fn estimate(text: &str) -> u32 {
    Estimate::of(text).total()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cjk_counts_one_and_the_rest_a_quarter() {
        for (text, tokens) in [
            ("", 0),
            ("你好", 2),
            ("abcd", 1),
            ("abcde", 2),
            ("你好 world", 4),
            ("。", 1),
        ] {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }

    proptest! {
        #[test]
        fn parts_cost_no_less_than_the_whole(a in any::<String>(), b in any::<String>()) {
            let whole = format!("{a}{b}");
            prop_assert!(estimate(&whole) <= estimate(&a) + estimate(&b));
            prop_assert_eq!(Estimate::of(&whole), Estimate::of(&a) + Estimate::of(&b));
        }
    }
}
