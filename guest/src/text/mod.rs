//! What text is made of: characters, words, sentences, and what they cost.
//!
//! Functions over strings, the same for every format. Nothing here knows what
//! a memory or a file is. Counting and cutting are in code points throughout
//! (design §8), and no input makes any of it panic.

pub mod budget;
pub mod characters;
mod normalisation;
pub mod prompt;
pub mod secrets;
pub mod sentences;
pub mod snippet;
pub mod stems;
pub mod time_words;
pub mod tokenizer;
pub mod words;
