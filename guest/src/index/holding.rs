//! Finding the documents that hold all terms of a text, without an order of
//! merit: where a phrase can stand at all.

use super::dictionary::TermNumber;
use super::{DocumentNumber, Index};

impl Index {
    /// The live documents that hold every term of a text, in whatever fields,
    /// by number; none where the text has no term to go by.
    pub fn holding_all(&self, text: &str) -> Option<Vec<DocumentNumber>> {
        let terms = self.tokenizer.distinct(text);
        if terms.is_empty() {
            return None;
        }
        let known = terms.iter().map(|term| self.dictionary.find(term));
        let Some(mut terms) = known.collect::<Option<Vec<_>>>() else {
            return Some(Vec::new());
        };
        terms.sort_by_key(|term| self.encoded_length(*term));
        let holding = |term: &TermNumber| self.live_postings(*term).map(|(number, _)| number);
        let (rarest, others) = terms.split_first()?;
        let mut held: Vec<_> = holding(rarest).collect();
        for term in others {
            if held.is_empty() {
                break;
            }
            retain_shared(&mut held, holding(term));
        }
        Some(held)
    }

    /// How many bytes the postings of a term have: about how common it is.
    fn encoded_length(&self, term: TermNumber) -> usize {
        let list = self.postings.get(term as usize);
        list.map_or(0, |list| list.sealed_length as usize + list.tail.len())
    }
}

/// Keeps what another list has, too; both grow.
fn retain_shared(held: &mut Vec<DocumentNumber>, other: impl Iterator<Item = DocumentNumber>) {
    let mut other = other.peekable();
    held.retain(|number| {
        while other.next_if(|next| next < number).is_some() {}
        other.peek() == Some(number)
    });
}
