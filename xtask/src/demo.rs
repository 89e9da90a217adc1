//! `cargo xtask demo`: the inkvault command on a new vault, shown like a shell session.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cargo::{build_directory, cargo, require, shown};
use crate::setup;

/// A line of the session: why, and the words of the command.
struct Step {
    comment: &'static str,
    words: &'static [&'static str],
}

const SESSION: [Step; 8] = [
    Step {
        comment: "A vault is a folder of Markdown files.",
        words: &["init"],
    },
    Step {
        comment: "Three memories: a decision, a preference in Chinese, a standing directive.",
        words: &[
            "write",
            "We release on Tuesdays. A hotfix may go out on any day, once the smoke test is green.",
            "--title",
            "Release day",
            "--kind",
            "decision",
            "--tag",
            "release",
        ],
    },
    Step {
        comment: "",
        words: &[
            "write",
            "用户喜欢简洁的回答：先给结论，再给理由。",
            "--title",
            "回答风格",
            "--kind",
            "preference",
            "--tag",
            "沟通",
        ],
    },
    Step {
        comment: "",
        words: &[
            "write",
            "Write commit messages in the imperative mood.",
            "--title",
            "Commit messages",
            "--kind",
            "preference",
            "--delivery",
            "prompt",
        ],
    },
    Step {
        comment: "Search ranks by relevance, in any language.",
        words: &["search", "hotfix release"],
    },
    Step {
        comment: "",
        words: &["search", "简洁回答"],
    },
    Step {
        comment: "Recall gives an agent what is relevant, and says what it took and what it left.",
        words: &["recall", "When may a hotfix go out?"],
    },
    Step {
        comment: "Directives are given to an agent always.",
        words: &["directives"],
    },
];

/// Builds everything and plays the session.
pub(crate) fn run() -> Result<ExitCode> {
    setup::ensure()?;
    require(&mut cargo(&["build", "--workspace"]))?;
    let vault = tempfile::Builder::new().prefix("inkvault-demo-").tempdir();
    let vault = vault.context("making a directory for the vault")?;
    let program = build_directory()?.join("inkvault");
    for step in &SESSION {
        play(step, &program, vault.path())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows a command and runs it; its output follows.
fn play(step: &Step, program: &Path, vault: &Path) -> Result<()> {
    if !step.comment.is_empty() {
        println!("\n# {}", step.comment);
    }
    let mut command = Command::new(program);
    command.args(step.words).env("INKVAULT_DIR", vault);
    // What is said about an answer belongs to the session, wherever it goes.
    command.stderr(std::io::stdout());
    println!("$ {}", shown(&command));
    let status = command.status().with_context(|| shown(&command))?;
    if !status.success() {
        bail!("{}: {status}", shown(&command));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_starts_with_a_vault_and_writes_three_memories() {
        assert_eq!(SESSION[0].words, ["init"]);
        let writes = SESSION.iter().filter(|step| step.words[0] == "write");
        assert_eq!(writes.count(), 3);
    }
}
