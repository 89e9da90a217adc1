//! Numbers that look random and are the same on every run and machine.

/// SplitMix64 (Steele, Lea and Flood 2014): one addition and a mix a number.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers that follow from a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// A share from 0 to just below 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of several.
    pub fn one_of<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len())]
    }
}

/// Ranks from 0 as words occur in a language: the probability of a rank falls
/// with its number (Zipf, with Mandelbrot's offset for the commonest).
#[derive(Clone, Debug)]
pub struct Zipf {
    /// The share of all ranks up to each.
    cumulative: Vec<f64>,
}

impl Zipf {
    const OFFSET: f64 = 2.7;

    /// Ranks below `count`.
    pub fn new(count: usize) -> Self {
        let weights = (0..count).map(|rank| 1.0 / (rank as f64 + Self::OFFSET));
        let mut total = 0.0;
        let mut cumulative: Vec<f64> = weights
            .map(|weight| {
                total += weight;
                total
            })
            .collect();
        for share in &mut cumulative {
            *share /= total;
        }
        Self { cumulative }
    }

    /// The next rank.
    pub fn rank(&self, random: &mut Random) -> usize {
        let share = random.share();
        let rank = self.cumulative.partition_point(|up_to| *up_to <= share);
        rank.min(self.cumulative.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut random = Random::seeded(1_234_567);
        let numbers: Vec<_> = (0..3).map(|_| random.bits()).collect();
        let reference = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(numbers, reference);
    }

    #[test]
    fn common_words_are_common() {
        let (zipf, mut random) = (Zipf::new(1_000), Random::seeded(1));
        let mut seen = vec![0u32; 1_000];
        for _ in 0..100_000 {
            seen[zipf.rank(&mut random)] += 1;
        }
        assert!(seen[0] > 5 * seen[30], "{:?}", &seen[..31]);
        assert!(seen[30] > 5 * seen[400].max(1), "{}", seen[400]);
        assert!(seen.iter().all(|times| *times < 20_000));
    }
}
