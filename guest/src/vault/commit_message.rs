//! The messages that changes are committed with (simple memory design §三.8):
//! `mem:`, what was done, and to what.

use crate::format::{Language, Operation};

/// The message for an operation on something of that name; an empty name is
/// the vault.
pub(super) fn commit_message(operation: Operation, name: &str, language: Language) -> String {
    let verb = match language {
        Language::English => english(operation),
        Language::Chinese => chinese(operation),
    };
    if name.is_empty() {
        format!("mem: {verb}")
    } else {
        format!("mem: {verb} {name}")
    }
}

fn english(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "write",
        operation => operation.name(),
    }
}

fn chinese(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "记",
        Operation::Update => "改",
        Operation::Confirm => "确认",
        Operation::Reject => "驳回",
        Operation::Archive => "归档",
        Operation::Restore => "恢复",
        Operation::Stale => "标记过时",
        Operation::Supersede => "取代",
        Operation::Conflict => "标记冲突",
        Operation::Merge => "整合",
        Operation::Pin => "置顶",
        Operation::Unpin => "取消置顶",
        Operation::Promote => "升格",
        Operation::Deliver => "改送达方式",
        Operation::Forget => "遗忘",
        Operation::Undo => "撤销",
        Operation::RollBack => "回滚",
        Operation::Stage => "入池",
        Operation::Unstage => "出池",
        Operation::KeepDuplicate => "整理重复",
        Operation::Quarantine => "隔离",
        Operation::Rebuild => "重建索引",
        Operation::Init => "初始化",
    }
}
