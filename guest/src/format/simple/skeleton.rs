//! What a new memory root consists of (simple memory design §二).

use serde_json::{Map, json};

use super::{LANGUAGE, PRIVATE, names, staging};
use crate::environment::VaultPath;
use crate::format::{Language, Skeleton};

/// The directories, the page that explains them, and the staging pool. The
/// private folder only where it has something to say.
pub(super) fn skeleton(language: Language) -> Vec<Skeleton> {
    let directories =
        names::DIRECTORIES.map(|directory| Skeleton::Directory(VaultPath::known(directory)));
    let readme = match language {
        Language::English => README_EN,
        Language::Chinese => README_ZH,
    };
    let files = [
        Skeleton::File(VaultPath::known("README.md"), readme.to_owned()),
        Skeleton::File(
            VaultPath::known(staging::FILE),
            staging::template(language).to_owned(),
        ),
    ];
    let mut parts = Vec::from(directories);
    if language != LANGUAGE {
        parts.extend(private(language));
    }
    parts.extend(files);
    parts
}

/// The private folder: nothing in it is for git, and its configuration names
/// the format.
pub(super) fn private(language: Language) -> Vec<Skeleton> {
    let mut settings = Map::new();
    if language != LANGUAGE {
        settings.insert("language".to_owned(), language.code().into());
    }
    let config = json!({ "format": "simple", "schemaVersion": 1, "settings": settings });
    let folder = VaultPath::known(PRIVATE);
    vec![
        Skeleton::Directory(folder.clone()),
        Skeleton::File(folder.join(".gitignore"), "*\n".to_owned()),
        Skeleton::File(folder.join("config.json"), format!("{config:#}\n")),
    ]
}

const README_ZH: &str = "\
# 记忆根

这里的每个 Markdown 文件是一条记忆，可以直接读、改、用 git 管理、整个拷走。

| 位置 | 放什么 |
|---|---|
| `common/` | 全局通用经验，跨项目复用 |
| `projects/<项目名>/` | 某个项目的经验，首次写入时自动建目录 |
| `references/` | 参考资料：搜索命中才读 |
| `archive/` | 被遗忘移出的旧记忆：还在硬盘，不进索引 |
| `staging.md` | 升格暂存池：可能跨项目复用的候选，每条一行 |

约定：

- 文件名 `分类-主题.md`，例如 `踩坑-测试端口占用.md`；常用分类有 踩坑、流程、决策、偏好、背景，也可以自造。
- 首行 `## 日期 分类-主题`，正文不超过 2 KB。
- 会话开始时注入的只有文件名清单，相关时才读全文。
- 活跃区（`common/` 和 `projects/`）超过 200 条时该整理了：整合、遗忘、升格、删除，都由人确认。
";

const README_EN: &str = "\
# Memory root

Each Markdown file here is a memory. Read it, edit it, keep it under git, copy it anywhere.

| Place | What lies there |
|---|---|
| `common/` | what is of use in every project |
| `projects/<name>/` | what belongs to one project; made with the first note |
| `references/` | reference material, read when a search hits |
| `archive/` | notes that were forgotten: still there, never listed |
| `staging.md` | candidates for `common/`, a line for each |

How it is done:

- A file is called `category-topic.md`, such as `踩坑-port-taken.md`. Usual categories are 踩坑 (pitfall), 流程 (procedure), 决策 (decision), 偏好 (preference), 背景 (background); make your own as you like.
- Its first line is `## date category-topic`; its text has at most 2 KB.
- At the start of a conversation an agent sees the list of file names alone, and reads a note when it is relevant.
- More than 200 notes in `common/` and `projects/` want tidying: merge, forget, promote or delete some. You decide.
";
