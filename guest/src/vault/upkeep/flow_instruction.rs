//! The instruction for an agent to go through a conversation and file what is
//! worth keeping (simple memory design §三.3). It says all there is to know:
//! no other file is needed to follow it.

use crate::error::Result;
use crate::format::{BodyLimit, Capabilities, Ids, Kinds, Language};
use crate::vault::Vault;

impl Vault {
    /// The instruction, in the vault's language unless another is asked for.
    ///
    /// # Errors
    /// [`crate::Error::InvalidArgument`] for an unknown language; those of telling
    /// the vault's format.
    pub fn flow_instruction(&mut self, language: Option<&str>) -> Result<String> {
        let asked = language.map(Language::read).transpose()?;
        self.recognised(|_, state| {
            let language = asked.unwrap_or(state.settings.language);
            Ok(instruction(state.format.capabilities(), language))
        })
    }
}

/// What the instruction says of the format.
struct Particulars {
    kinds: String,
    scope: &'static str,
    form: &'static str,
    limit: String,
    command: &'static str,
}

fn instruction(capabilities: &Capabilities, language: Language) -> String {
    match language {
        Language::Chinese => chinese(&Particulars::of(capabilities, &CHINESE)),
        Language::English => english(&Particulars::of(capabilities, &ENGLISH)),
    }
}

/// What may have to be said of a format, in a language.
struct Words {
    /// Between two kinds.
    comma: &'static str,
    /// After the kinds, where there can be others.
    open: &'static str,
    /// Where there are projects.
    scope: &'static str,
    /// Where a memory is known by its name.
    form: &'static str,
    characters: &'static str,
}

impl Particulars {
    fn of(capabilities: &Capabilities, words: &Words) -> Self {
        let (kinds, open) = match capabilities.kinds {
            Kinds::Closed(kinds) => (kinds, ""),
            Kinds::Open(kinds) => (kinds, words.open),
        };
        let named = capabilities.ids == Ids::Places;
        Particulars {
            kinds: format!("{}{open}", kinds.join(words.comma)),
            scope: if capabilities.holds.scope {
                words.scope
            } else {
                ""
            },
            form: if named { words.form } else { "" },
            command: if capabilities.holds.scope {
                "inkvault write --kind … --title … [--project .] '…'"
            } else {
                "inkvault write --kind … --title … '…'"
            },
            limit: match capabilities.body_limit {
                BodyLimit::Bytes(bytes) => format!("{} KB", bytes / 1024),
                BodyLimit::Characters(most) => format!("{most} {}", words.characters),
            },
        }
    }
}

const CHINESE: Words = Words {
    comma: "、",
    open: "，也可自造",
    scope: "标明 scope：project（只对当前项目有用）或 global（跨项目通用），并",
    form: "。文件名 分类-主题 和首行 ## 日期 分类-主题 由工具负责；重名时先问要不要覆盖",
    characters: "字",
};

const ENGLISH: Words = Words {
    comma: ", ",
    open: ", or one of your own",
    scope: "its scope, project (of use in this project alone) or global (of use everywhere), ",
    form: "; the file name category-topic and the first line ## date category-topic are its affair, and where a name is taken, ask before you overwrite",
    characters: "characters",
};

fn chinese(of: &Particulars) -> String {
    let Particulars {
        kinds,
        scope,
        form,
        limit,
        command,
    } = of;
    format!(
        "请按下面的流程整理这次会话里值得长期记住的东西。\n\
         ① 回顾：通读到目前为止的对话，找出以后还用得上的：踩过的坑、定下的决策、流程、偏好、背景。只在这次会话里有用的、已经记过的、可以从代码或文档直接查到的，不要；密码和密钥绝不要。\n\
         ② 逐条提议：每条给出分类（{kinds}）、主题、一两句正文（不超过 {limit}），{scope}说明理由。没有值得记的就直说，到此为止。\n\
         ③ 等用户确认：用户逐条点头、修改或拒绝；没有确认的一条也不写。\n\
         ④ 写入：确认的逐条用记忆写入工具 memory-write（memory_write）写入，或用命令 {command}{form}。\n\
         ⑤ 贴出产出物：列出写了哪些文件和各自的全文，让用户看到结果。\n\
         ⑥ 提交：记忆在 git 里而工具没有自动提交时，执行 git commit，信息写 mem: 记 <对象>。"
    )
}

fn english(of: &Particulars) -> String {
    let Particulars {
        kinds,
        scope,
        form,
        limit,
        command,
    } = of;
    format!(
        "Go through this conversation and file what is worth remembering, in these steps.\n\
         1. Review: read the conversation so far and find what will be of use later: pitfalls, decisions, procedures, preferences, background. Leave out what matters in this conversation alone, what is recorded already, and what code or documents say; passwords and keys never.\n\
         2. Propose, one by one: for each its category ({kinds}), its topic, a sentence or two of text (at most {limit}), {scope}and why. If nothing is worth it, say so and stop.\n\
         3. Wait for the user to confirm: they agree to, change or refuse each; write none that was not confirmed.\n\
         4. Write each confirmed one with the tool memory-write (memory_write), or with the command {command}{form}.\n\
         5. Show what came of it: the files that were written, each with its text.\n\
         6. Commit: where the memories are under git and the tool has not committed them, run git commit with the message mem: write <subject>."
    )
}
