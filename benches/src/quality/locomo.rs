//! LoCoMo (github.com/snap-research/locomo): long conversations over many
//! sessions, with questions and the turns that answer them.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::collection::{Collection, Note, Question};

/// The conversations of a file.
pub struct Locomo(Vec<Value>);

/// What the numbers of the categories mean.
const CATEGORIES: [&str; 5] = [
    "several notes",
    "time",
    "inference",
    "one note",
    "adversarial",
];

impl Locomo {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Where it is not a list in JSON.
    pub fn read(text: &str) -> Result<Self> {
        let conversations: Value = serde_json::from_str(text)?;
        let list = conversations.as_array().context("a list is expected")?;
        Ok(Locomo(list.clone()))
    }

    /// A collection for each conversation, with a note for each turn.
    ///
    /// # Errors
    /// Where a session has no date.
    pub fn turns(&self) -> Result<Vec<Collection>> {
        let of = |conversation: &Value| {
            let mut notes = Vec::new();
            for session in sessions(conversation)? {
                notes.extend(session.turns.iter().map(|turn| session.note_of(turn)));
            }
            let names: HashSet<_> = notes.iter().map(|note| note.name.clone()).collect();
            let questions = questions(conversation, |id| Some(id.to_owned()))
                .filter(|question| question.relevant.is_subset(&names))
                .collect();
            Ok(Collection { notes, questions })
        };
        self.0.iter().map(of).collect()
    }

    /// One collection of all conversations, with a note for each session.
    ///
    /// # Errors
    /// Where a session has no date.
    pub fn sessions(&self) -> Result<Collection> {
        let mut collection = Collection::default();
        for (number, conversation) in self.0.iter().enumerate() {
            let name = |session: &str| format!("{number}/{session}");
            for session in sessions(conversation)? {
                collection.notes.push(session.note(name(&session.number)));
            }
            let session_of = |id: &str| {
                let (session, _) = id.strip_prefix('D')?.split_once(':')?;
                Some(name(session))
            };
            collection
                .questions
                .extend(questions(conversation, session_of));
        }
        Ok(collection)
    }
}

struct Session<'v> {
    number: String,
    /// As people write it: `1:56 pm on 8 May, 2023`.
    date: &'v str,
    created: String,
    turns: &'v [Value],
}

fn sessions(conversation: &Value) -> Result<Vec<Session<'_>>> {
    let parts = &conversation["conversation"];
    let mut sessions = Vec::new();
    for number in 1.. {
        let date = parts[format!("session_{number}_date_time")].as_str();
        let turns = parts[format!("session_{number}")].as_array();
        let (Some(date), turns) = (date, turns) else {
            break;
        };
        let Some(turns) = turns else { continue };
        sessions.push(Session {
            number: number.to_string(),
            date,
            created: moment(date).with_context(|| format!("no date: {date}"))?,
            turns,
        });
    }
    Ok(sessions)
}

impl Session<'_> {
    fn note_of(&self, turn: &Value) -> Note {
        Note {
            name: text_of(turn, "dia_id").to_owned(),
            title: text_of(turn, "speaker").to_owned(),
            body: said(turn),
            created: Some(self.created.clone()),
            origin: Some(format!("session-{:0>3}", self.number)),
        }
    }

    fn note(&self, name: String) -> Note {
        let line = |turn: &Value| format!("{}: {}", text_of(turn, "speaker"), said(turn));
        let lines: Vec<_> = self.turns.iter().map(line).collect();
        Note {
            name,
            title: format!("Session of {}", self.date),
            body: lines.join("\n"),
            created: Some(self.created.clone()),
            origin: None,
        }
    }
}

/// What a turn says, and what the picture in it shows in brackets.
fn said(turn: &Value) -> String {
    let text = text_of(turn, "text").replace('\n', " ");
    match turn["blip_caption"].as_str() {
        Some(caption) => format!("{text} [{caption}]"),
        None => text,
    }
}

/// The questions of a conversation that name what answers them; `note_of`
/// gives the note of a turn.
fn questions<'v>(
    conversation: &'v Value,
    note_of: impl Fn(&str) -> Option<String> + 'v,
) -> impl Iterator<Item = Question> + 'v {
    let questions = conversation["qa"].as_array().into_iter().flatten();
    questions.filter_map(move |question| {
        let evidence = question["evidence"].as_array().into_iter().flatten();
        let ids = evidence.filter_map(Value::as_str).flat_map(ids);
        let relevant: HashSet<_> = ids.filter_map(|id| note_of(&id)).collect();
        let category = question["category"].as_u64().unwrap_or_default() as usize;
        (!relevant.is_empty()).then(|| Question {
            text: text_of(question, "question").to_owned(),
            category: CATEGORIES[category.clamp(1, CATEGORIES.len()) - 1].to_owned(),
            relevant,
        })
    })
}

/// The turns that a piece of evidence names; some name several in one text.
fn ids(evidence: &str) -> Vec<String> {
    let ids = evidence.split(|c: char| c == ';' || c == ',' || c.is_whitespace());
    ids.filter(|id| id.starts_with('D') && id.contains(':'))
        .map(str::to_owned)
        .collect()
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// `1:56 pm on 8 May, 2023` as RFC 3339.
fn moment(date: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (clock, day) = date.split_once(" on ")?;
    let (clock, half) = clock.trim().split_once(' ')?;
    let (hour, minute) = clock.split_once(':')?;
    let hour = hour.parse::<u32>().ok()? % 12 + if half == "pm" { 12 } else { 0 };
    let mut parts = day.split([' ', ',']).filter(|part| !part.is_empty());
    let (day, name, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|month| name.starts_with(month))? + 1;
    Some(format!(
        "{year}-{month:02}-{day:0>2}T{hour:02}:{minute}:00.000Z"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"[{"conversation": {
        "speaker_a": "Ann", "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!"},
                      {"speaker": "Bob", "dia_id": "D1:2", "text": "See", "blip_caption": "a cat"}]},
        "qa": [{"question": "Who?", "evidence": ["D1:2; D1:1"], "category": 1},
               {"question": "None", "evidence": [], "category": 2}]}]"#;

    #[test]
    fn turns_and_sessions_are_notes() {
        let file = Locomo::read(FILE).expect("a file");
        let turns = file.turns().expect("turns").remove(0);
        assert_eq!(turns.notes.len(), 2);
        let second = &turns.notes[1];
        assert_eq!(
            (second.title.as_str(), second.body.as_str()),
            ("Bob", "See [a cat]")
        );
        assert_eq!(second.created.as_deref(), Some("2023-05-08T13:56:00.000Z"));
        assert_eq!(turns.questions.len(), 1);
        assert_eq!(turns.questions[0].relevant.len(), 2);
        let sessions = file.sessions().expect("sessions");
        assert_eq!(sessions.notes[0].body, "Ann: Hi!\nBob: See [a cat]");
        assert_eq!(
            sessions.questions[0].relevant,
            HashSet::from(["0/1".to_owned()])
        );
    }
}
