//! Conversations as JSON: an array of messages, in the shapes that agents
//! keep them.

use inkvault::types::Role;
use inkvault::vault::Message;
use serde_json::{Map, Value};

/// Reads a conversation. A failure names the message and the field.
///
/// A message is an object with `role`; `text`, or `content` (a string, or
/// blocks of which those of type `text` count); and, if known, `source_kind`,
/// `sourceKind` or `source.kind`, and `thread`. Other fields are passed over.
pub(crate) fn parse(json: &str) -> Result<Vec<Message>, String> {
    let value: Value = serde_json::from_str(json).map_err(|error| format!("no JSON: {error}"))?;
    let Value::Array(messages) = value else {
        return Err("not an array of messages".to_owned());
    };
    let numbered = messages.iter().enumerate();
    numbered
        .map(|(number, value)| {
            message(value).map_err(|reason| format!("message {}: {reason}", number + 1))
        })
        .collect()
}

fn message(value: &Value) -> Result<Message, String> {
    let Value::Object(fields) = value else {
        return Err("not an object".to_owned());
    };
    Ok(Message {
        role: role(fields)?,
        text: text(fields)?,
        source_kind: source_kind(fields)?,
        thread: string(fields, "thread")?,
    })
}

fn role(fields: &Map<String, Value>) -> Result<Role, String> {
    let word = string(fields, "role")?.ok_or("`role` is missing")?;
    word.parse().map_err(|error| format!("`role`: {error}"))
}

fn text(fields: &Map<String, Value>) -> Result<String, String> {
    if let Some(text) = string(fields, "text")? {
        return Ok(text);
    }
    match fields.get("content") {
        None => Err("`text` or `content` is missing".to_owned()),
        Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(blocks)) => Ok(text_of_blocks(blocks)),
        Some(_) => Err("`content` is neither a string nor an array of blocks".to_owned()),
    }
}

/// The blocks of type `text`, each on a line of its own; pictures, calls of
/// tools and the like say nothing here.
fn text_of_blocks(blocks: &[Value]) -> String {
    let texts = blocks.iter().filter(|block| block["type"] == "text");
    let texts: Vec<_> = texts.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

fn source_kind(fields: &Map<String, Value>) -> Result<Option<String>, String> {
    if let Some(kind) = string(fields, "source_kind")? {
        return Ok(Some(kind));
    }
    if let Some(kind) = string(fields, "sourceKind")? {
        return Ok(Some(kind));
    }
    match fields.get("source") {
        Some(Value::Object(source)) => string(source, "kind"),
        _ => Ok(None),
    }
}

fn string(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is not a string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(json: &str) -> Message {
        let mut messages = parse(&format!("[{json}]")).unwrap();
        assert_eq!(messages.len(), 1);
        messages.remove(0)
    }

    #[test]
    fn text_is_taken_from_either_field() {
        assert_eq!(one(r#"{"role":"user","text":"hi"}"#).text, "hi");
        assert_eq!(one(r#"{"role":"user","content":"hi"}"#).text, "hi");
        assert_eq!(one(r#"{"role":"assistant","content":null}"#).text, "");
    }

    #[test]
    fn only_blocks_of_text_count() {
        let message = one(
            r#"{"role":"assistant","content":[{"type":"text","text":"a"},
            {"type":"tool_use","text":"no"},{"type":"text","text":"b"}]}"#,
        );
        assert_eq!(message.text, "a\nb");
        assert_eq!(message.role, Role::Assistant);
    }

    #[test]
    fn the_source_is_taken_in_three_spellings() {
        for source in [
            r#""source_kind":"human""#,
            r#""sourceKind":"human""#,
            r#""source":{"kind":"human"}"#,
        ] {
            let message = one(&format!(r#"{{"role":"user","text":"hi",{source}}}"#));
            assert_eq!(message.source_kind.as_deref(), Some("human"));
        }
        assert_eq!(one(r#"{"role":"user","text":"hi"}"#).source_kind, None);
    }

    #[test]
    fn the_thread_is_kept() {
        let message = one(r#"{"role":"user","text":"hi","thread":"t-1"}"#);
        assert_eq!(message.thread.as_deref(), Some("t-1"));
    }

    #[test]
    fn a_fault_is_named_with_its_place() {
        let fault = |json: &str| parse(json).unwrap_err();
        assert!(fault("{").starts_with("no JSON: "));
        assert_eq!(fault("{}"), "not an array of messages");
        assert_eq!(
            fault(r#"[{"role":"user","text":"a"},{"role":"bot","text":"b"}]"#),
            "message 2: `role`: `bot` is not one of system, user, assistant, tool"
        );
        assert_eq!(
            fault(r#"[{"role":"user"}]"#),
            "message 1: `text` or `content` is missing"
        );
        assert_eq!(
            fault(r#"[{"role":"user","text":7}]"#),
            "message 1: `text` is not a string"
        );
    }
}
