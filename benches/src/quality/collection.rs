//! Notes and the questions they answer, as a vault in memory.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use inkvault_guest::environment::Machine;
use inkvault_guest::text::budget::estimate;
use inkvault_guest::text::sentences;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{RecallRequest, SearchOptions, Vault};

/// A note of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What the questions call it.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// When it was first written, where that is known.
    pub created: Option<String>,
    /// The conversation it is from.
    pub origin: Option<String>,
}

/// A question and the notes that answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// What sort of question it is.
    pub category: String,
    /// The names of the notes that answer it; never empty.
    pub relevant: HashSet<String>,
}

/// Notes that are searched together, and questions to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// The notes, in their order.
    pub notes: Vec<Note>,
    /// The questions.
    pub questions: Vec<Question>,
}

/// Which order is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// That of `search`: BM25 as the contract has it.
    Search,
    /// That of `recall`.
    Recall,
}

/// A collection as an open vault.
pub struct Asked<'c> {
    vault: Vault,
    notes: HashMap<String, &'c Note>,
}

impl Collection {
    /// The collection without what ties its notes together and dates them.
    pub fn without_threads(&self) -> Self {
        let untied = |note: &Note| Note {
            created: None,
            origin: None,
            ..note.clone()
        };
        Collection {
            notes: self.notes.iter().map(untied).collect(),
            questions: self.questions.clone(),
        }
    }

    /// The collection without its conversations: days are what ties its notes
    /// together.
    pub fn by_day(&self) -> Self {
        let of_day = |note: &Note| Note {
            origin: None,
            ..note.clone()
        };
        Collection {
            notes: self.notes.iter().map(of_day).collect(),
            questions: self.questions.clone(),
        }
    }

    /// The collection as it is after all its notes were imported at once:
    /// written on one day, and nothing else in common.
    pub fn of_one_day(&self) -> Self {
        let dated = |note: &Note| Note {
            created: Some("2026-01-01T10:00:00.000Z".to_owned()),
            origin: None,
            ..note.clone()
        };
        Collection {
            notes: self.notes.iter().map(dated).collect(),
            questions: self.questions.clone(),
        }
    }

    /// The collection with a line for each sentence, as notes with lists and
    /// headings have.
    pub fn in_lines(&self) -> Self {
        let broken = |note: &Note| Note {
            body: sentences::split(&note.body).join("\n"),
            ..note.clone()
        };
        Collection {
            notes: self.notes.iter().map(broken).collect(),
            questions: self.questions.clone(),
        }
    }

    /// A vault of its notes.
    ///
    /// # Errors
    /// The engine's.
    pub fn opened(&self) -> Result<Asked<'_>> {
        let machine = Machine::new();
        if let Some(now) = Timestamp::parse("2026-10-19T10:00:00Z") {
            machine.set_now(now);
        }
        Vault::new(Box::new(machine.process())).init("inkvault", None)?;
        let mut notes = HashMap::new();
        for (number, note) in self.notes.iter().enumerate() {
            let id = format!("m-20260101-{number:06}");
            machine.put(&format!("memory/{id}.md"), file(&id, note));
            notes.insert(id, note);
        }
        machine.advance(std::time::Duration::from_secs(60));
        let mut vault = Vault::new(Box::new(machine.process()));
        vault.configure(r#"{"recallMaxItems": 10}"#)?;
        Ok(Asked { vault, notes })
    }
}

fn file(id: &str, note: &Note) -> String {
    let title = serde_json::Value::from(note.title.as_str());
    let created = note.created.as_deref().map_or(String::new(), |created| {
        format!("created: {created}\nupdated: {created}\n")
    });
    let origin = note.origin.as_deref().unwrap_or_default();
    format!(
        "---\nid: {id}\ntitle: {title}\nkind: fact\nstatus: active\n{created}tags: []\n\
         confidence: 0.5\nsource: manual\norigin: '{origin}'\ndelivery: recall\n---\n\n{}",
        note.body
    )
}

impl<'c> Asked<'c> {
    /// The notes that answer best, in their order.
    ///
    /// # Errors
    /// The engine's.
    pub fn ranked(&mut self, ranking: Ranking, text: &str, limit: u32) -> Result<Vec<&'c Note>> {
        let ids: Vec<String> = match ranking {
            Ranking::Search => {
                let options = SearchOptions {
                    limit: Some(limit),
                    ..SearchOptions::default()
                };
                let hits = self.vault.search(text, &options)?.into_iter();
                hits.map(|hit| hit.memory.metadata.id).collect()
            }
            Ranking::Recall => {
                let request = RecallRequest {
                    query: Some(text.to_owned()),
                    limit: Some(limit),
                    ..RecallRequest::default()
                };
                let order = self.vault.recall_order(&request)?.into_iter();
                order.map(|(id, _)| id).collect()
            }
        };
        Ok(ids
            .iter()
            .filter_map(|id| self.notes.get(id).copied())
            .collect())
    }
}

/// The first notes that fit into so many tokens.
pub fn filling<'n>(ranked: &[&'n Note], tokens: u32) -> Vec<&'n Note> {
    let mut left = tokens;
    let fits = |note: &&&Note| match left.checked_sub(estimate(&note.body)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    ranked.iter().take_while(fits).copied().collect()
}
