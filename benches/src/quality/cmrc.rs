//! CMRC 2018 (github.com/ymcui/cmrc2018): Chinese paragraphs with questions
//! that one of them answers.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::collection::{Collection, Note, Question};

/// The collection of a file: a note for each paragraph.
///
/// # Errors
/// Where it holds no paragraphs in JSON.
pub fn read(text: &str) -> Result<Collection> {
    let file: Value = serde_json::from_str(text)?;
    let paragraphs = file["paragraphs"]
        .as_array()
        .context("`paragraphs` is expected")?;
    let mut collection = Collection::default();
    for (number, paragraph) in paragraphs.iter().enumerate() {
        let name = number.to_string();
        collection.notes.push(Note {
            name: name.clone(),
            title: "Paragraph".to_owned(),
            body: paragraph["context"].as_str().unwrap_or_default().to_owned(),
            created: None,
            origin: None,
        });
        let questions = paragraph["qas"].as_array().into_iter().flatten();
        collection
            .questions
            .extend(questions.map(|question| Question {
                text: question["question"].as_str().unwrap_or_default().to_owned(),
                category: "one note".to_owned(),
                relevant: HashSet::from([name.clone()]),
            }));
    }
    Ok(collection)
}

#[cfg(test)]
mod tests {
    #[test]
    fn paragraphs_are_notes() {
        let file = r#"{"paragraphs": [{"context": "一", "qas": []},
            {"context": "二", "qas": [{"question": "谁？"}]}]}"#;
        let collection = super::read(file).expect("a file");
        assert_eq!(collection.notes.len(), 2);
        assert!(collection.questions[0].relevant.contains("1"));
    }
}
