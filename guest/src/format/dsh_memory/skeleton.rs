//! What a new vault consists of (dsh-memory format §2, §8): the directories,
//! two pages for the person who opens it in Obsidian, and the configuration.

use serde_json::{Map, json};

use super::PRODUCT;
use super::places::PLACES;
use crate::environment::VaultPath;
use crate::format::{Language, Skeleton};
use crate::timestamp::Timestamp;

/// Directories that hold no memories.
const OTHERS: [&str; 7] = [
    "Index",
    "History",
    ".obsidian",
    ".dsh-memory",
    ".dsh-memory/journal",
    ".dsh-memory/quarantine",
    ".dsh-memory/trash",
];

/// Everything, the configuration last: what it stands in is complete.
pub(super) fn skeleton(language: Language, now: Timestamp) -> Vec<Skeleton> {
    let directories = PLACES.iter().map(|place| place.directory).chain(OTHERS);
    let directories = directories.map(|directory| Skeleton::Directory(VaultPath::known(directory)));
    let file = |(path, text): (&str, String)| Skeleton::File(VaultPath::known(path), text);
    let [readme, home, history] = match language {
        Language::English => [README_EN, HOME_EN, HISTORY_EN],
        Language::Chinese => [README_ZH, HOME_ZH, HISTORY_ZH],
    };
    let files = [
        ("README.md", readme.to_owned()),
        ("Memory Home.md", home.to_owned()),
        ("History/README.md", history.to_owned()),
        (".dsh-memory/config.json", config(language, now)),
    ];
    directories.chain(files.map(file)).collect()
}

/// The vault's mark and its settings, of which only those are stored that
/// differ from the defaults.
fn config(language: Language, now: Timestamp) -> String {
    let mut settings = Map::new();
    if language != Language::default() {
        settings.insert("language".to_owned(), language.code().into());
    }
    let config = json!({
        "product": PRODUCT,
        "schemaVersion": super::SCHEMA_VERSION,
        "createdAt": now.to_string(),
        "updatedAt": now.to_string(),
        "settings": settings,
        "notes": [],
    });
    format!("{config:#}\n")
}

const README_EN: &str = "\
# Long-term memory

What an AI agent remembers, one Markdown file for each memory. Read, edit and link them like any other note; the files are all there is, everything else can be made from them.

| Folder | What lies there |
|---|---|
| `Profile/`, `Preferences/` | who you are, how you like things |
| `Projects/`, `Projects/State/` | projects, and where they stand |
| `Decisions/`, `Knowledge/`, `Experiences/`, `Tasks/` | what was decided, learned, tried, and is to be done |
| `Inbox/` | waiting for you to confirm it |
| `Conflicts/` | contradicts another memory |
| `Archive/` | no longer in force |
| `Index/` | lists of all memories, made by `inkvault rebuild` |
| `.dsh-memory/` | the program's own: settings, index, journal, trash |

Good to know:

- Keep the `id` at the top of a file: without it the file is no memory.
- `status` decides the folder. Change it with `inkvault`, or by hand; `inkvault verify --fix` then moves the file.
- Under `## ` headings of your own you can write what you like. It stays as it is.
- Notes without the lines between `---` at the top are yours and are left alone.

This page is made once. Change it as you like.
";

const README_ZH: &str = "\
# 长期记忆

AI 助手记住的内容，每条记忆一个 Markdown 文件。可以像普通笔记一样阅读、编辑、互相链接；这些文件就是全部，其余数据都能由它们重建。

| 目录 | 内容 |
|---|---|
| `Profile/`、`Preferences/` | 你是谁，你的偏好 |
| `Projects/`、`Projects/State/` | 项目及其进展 |
| `Decisions/`、`Knowledge/`、`Experiences/`、`Tasks/` | 决策、知识、经验、任务 |
| `Inbox/` | 等待你确认 |
| `Conflicts/` | 与其他记忆矛盾 |
| `Archive/` | 不再有效 |
| `Index/` | 全部记忆的清单，由 `inkvault rebuild` 生成 |
| `.dsh-memory/` | 程序自用：设置、索引、日志、回收站 |

须知：

- 请保留文件开头的 `id`，没有它文件就不再是记忆。
- 目录由 `status` 决定。可以用 `inkvault` 修改，也可以手工修改，再由 `inkvault verify --fix` 移动文件。
- 可以随意添加自己的 `## ` 小节，内容会原样保留。
- 开头没有 `---` 元数据的笔记属于你，程序不会动它。

本页只生成一次，可以随意修改。
";

const HOME_EN: &str = "\
# Memory home

- [[By type]] and [[By tag]]: every memory in force (made by `inkvault rebuild`)
- `Inbox/`: what waits for you to confirm it
- `Conflicts/`: what contradicts itself
- `Archive/`: what is no longer in force
- [[README]]: how this vault works

This page is made once. Pin what matters to you here.
";

const HOME_ZH: &str = "\
# 记忆首页

- [[按类别]] 与 [[按标签]]：全部有效记忆（由 `inkvault rebuild` 生成）
- `Inbox/`：等待你确认的记忆
- `Conflicts/`：相互矛盾的记忆
- `Archive/`：不再有效的记忆
- [[README]]：这个仓库如何运作

本页只生成一次，可以把你关心的内容放在这里。
";

const HISTORY_EN: &str = "\
# History

Every change is a line in `.dsh-memory/journal/`, one file a month: `inkvault journal` shows them. Nothing depends on this folder; keep notes on the history of your vault here.
";

const HISTORY_ZH: &str = "\
# 历史

每次变更在 `.dsh-memory/journal/` 中记一行，每月一个文件，用 `inkvault journal` 查看。没有任何功能依赖本目录，可以在这里保存有关仓库历史的笔记。
";
