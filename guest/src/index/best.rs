//! The best few of many, in bounded room.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Keeps the best few of what it is offered, by score and then by key.
pub(super) struct Best<T, K> {
    limit: usize,
    heap: BinaryHeap<Worst<T, K>>,
}

/// Ordered so that the greatest is the one to give up first.
struct Worst<T, K> {
    item: T,
    score: f64,
    key: K,
}

impl<T, K: Ord> Best<T, K> {
    /// Room for so many.
    pub(super) fn new(limit: usize) -> Self {
        Best {
            limit,
            heap: BinaryHeap::new(),
        }
    }

    /// Whether a score that is not rounded yet can be among the best.
    pub(super) fn is_open_to(&self, score: f64) -> bool {
        let worst = self.heap.peek();
        self.heap.len() < self.limit || worst.is_some_and(|worst| score + 1e-6 >= worst.score)
    }

    /// Takes an item if it is among the best; of equal scores, the lesser
    /// keys are better.
    pub(super) fn offer(&mut self, item: T, score: f64, key: K) {
        let candidate = Worst { item, score, key };
        if self.heap.len() < self.limit {
            self.heap.push(candidate);
        } else if self.heap.peek().is_some_and(|worst| candidate < *worst) {
            self.heap.pop();
            self.heap.push(candidate);
        }
    }

    /// What was kept, best first.
    pub(super) fn into_sorted(self) -> Vec<T> {
        let sorted = self.heap.into_sorted_vec().into_iter();
        sorted.map(|worst| worst.item).collect()
    }
}

impl<T, K: Ord> Ord for Worst<T, K> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| self.key.cmp(&other.key))
    }
}

impl<T, K: Ord> PartialOrd for Worst<T, K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T, K: Ord> PartialEq for Worst<T, K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T, K: Ord> Eq for Worst<T, K> {}
