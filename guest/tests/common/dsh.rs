//! Files of the dsh-memory format, read, edited and exported without a vault.

#![allow(dead_code, reason = "each test file uses its part")]

use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{DshMemory, Exported, Format, Parsed, Setting, TermView, TermVisitor};
use inkvault_guest::memory::{Field, Memory, Metadata};
use inkvault_guest::timestamp::Timestamp;

/// The example of §3, whole.
pub(crate) const EXAMPLE: &str = "\
---
id: mem_20261017t075957_b1c8069b
type: decision
status: active
title: 用 Markdown 作为唯一事实来源
created_at: 2026-10-17T07:59:57.013Z
updated_at: 2026-10-17T07:59:57.013Z
tags:
  - architecture
  - decision
confidence: high
importance: 85
pinned: false
source_sessions:
  - session-dd7bfd09
aliases:
  - 事实来源
supersedes:
  - mem_20261001t000000_aaaaaaaa
superseded_by: mem_20261101t000000_bbbbbbbb
conflicts_with:
  - mem_20261010t000000_cccccccc
evidence: 用户在验收时明确要求。
schema_version: 1
---

# 用 Markdown 作为唯一事实来源

## 核心内容

长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。

## 附加说明（可选，用户可自行添加任意 ## 小节）

内容会原样保留。

## 来源与依据

用户在验收时明确要求。

## 相关记忆

- [[索引重建策略]]
";

pub(crate) fn moment() -> Timestamp {
    Timestamp::parse("2026-12-01").expect("a date")
}

pub(crate) fn parsed(text: &str) -> Parsed {
    let path = VaultPath::parse("Decisions/by hand.md").expect("a path");
    DshMemory.parse(&path, text.as_bytes(), moment())
}

pub(crate) fn read(text: &str) -> Memory {
    match parsed(text) {
        Parsed::Memory(memory) => *memory,
        other => panic!("no memory: {other:?} in\n{text}"),
    }
}

/// What a file has in its frontmatter so that nothing is wrong with it.
const WHOLE: [&str; 6] = [
    "id: mem_x",
    "type: task",
    "status: active",
    "title: T",
    "created_at: 2026-10-17",
    "updated_at: 2026-10-17",
];

/// A whole file with other lines in its frontmatter, or, for `-key`, without
/// that key.
pub(crate) fn with(lines: &str) -> String {
    let key = |line: &str| {
        line.trim_start_matches('-')
            .split(':')
            .next()
            .map(str::to_owned)
    };
    let is_whole = |line: &&str| lines.lines().all(|given| key(given) != key(line));
    let given = lines.lines().filter(|line| !line.starts_with('-'));
    let lines: Vec<_> = WHOLE.into_iter().filter(is_whole).chain(given).collect();
    format!("---\n{}\n---\n\n# T\n\ntext\n", lines.join("\n"))
}

/// A file with its memory changed, and another body.
pub(crate) fn edited(text: &str, change: impl FnOnce(&mut Metadata), body: Option<&str>) -> String {
    let before = read(text);
    let mut after = before.metadata.clone();
    change(&mut after);
    let bytes = DshMemory.edit(text.as_bytes(), &before, &after, body, &[]);
    String::from_utf8(bytes.expect("edited")).expect("text")
}

/// One of the parts of a memory that are searched.
pub(crate) fn field(memory: &Memory, wanted: Field) -> String {
    let mut fields = DshMemory.fields(memory).into_iter();
    let found = fields.find(|(field, _)| *field == wanted);
    found.map(|(_, text)| text.into_owned()).unwrap_or_default()
}

/// A view of no terms: this format's exports ask for none.
struct NoTerms;

impl TermView for NoTerms {
    fn documents(&self) -> usize {
        0
    }

    fn mean_length(&self) -> f64 {
        0.0
    }

    fn each_document(
        &self,
        _visit: &mut dyn FnMut(&str, u32) -> inkvault_guest::Result<()>,
    ) -> inkvault_guest::Result<()> {
        Ok(())
    }

    fn each_term(&self, _visit: &mut TermVisitor<'_>) -> inkvault_guest::Result<()> {
        Ok(())
    }
}

/// The exported files of a vault with some memories.
pub(crate) fn exported(setting: &Setting, texts: &[String]) -> Vec<(String, String)> {
    let memories: Vec<_> = texts.iter().map(|text| (read(text), text)).collect();
    let exports = DshMemory.exports(setting).into_iter();
    let written = exports.map(|mut export| {
        let mut file = String::new();
        let mut sink = |piece: &str| {
            file.push_str(piece);
            Ok(())
        };
        export.begin(&mut sink).expect("begun");
        for (memory, text) in &memories {
            let exported = Exported {
                memory,
                bytes: text.as_bytes(),
                mtime: 1_760_000_000_000.5,
            };
            export.memory(exported, &mut sink).expect("written");
        }
        export.end(moment(), &NoTerms, &mut sink).expect("ended");
        (export.path().as_str().to_owned(), file)
    });
    written.collect()
}
