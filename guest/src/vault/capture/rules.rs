//! The rules of capture (contract §5): which words make a sentence worth
//! remembering. All of them are data; a new phrase is a new line here.

/// A rule: what it is called, what it finds, and how sure it is.
pub(super) struct Rule {
    /// Its name.
    pub(super) name: &'static str,
    /// The kind of what it finds.
    pub(super) kind: &'static str,
    /// How sure it is, from 0 to 1.
    pub(super) confidence: f64,
    /// Its phrases.
    pub(super) phrases: &'static [Phrase],
}

/// Words that set off a rule, lower-case.
pub(super) enum Phrase {
    /// These words. Latin ones begin and end with the word; none of `but_not`
    /// may stand where they were found.
    Words {
        /// The words.
        words: &'static str,
        /// Longer words and turns of speech that contain them and mean
        /// something else.
        but_not: &'static [&'static str],
    },
    /// A beginning and an end with something between, in one clause. The end
    /// may not be a part of one of `unlike`.
    Around {
        /// The beginning.
        start: &'static str,
        /// The ends, one of which follows.
        ends: &'static [&'static str],
        /// Words that contain an end and mean something else.
        unlike: &'static [&'static str],
        /// What makes it something else.
        but_not: &'static [&'static str],
    },
}

const fn words(words: &'static str) -> Phrase {
    Phrase::Words {
        words,
        but_not: &[],
    }
}

const fn words_but(words: &'static str, but_not: &'static [&'static str]) -> Phrase {
    Phrase::Words { words, but_not }
}

/// The name of the rule for outright requests.
pub(super) const EXPLICIT: &str = "explicit";
/// The name of the rule for decisions.
pub(super) const DECISION: &str = "decision";
/// The name of the rule for preferences.
pub(super) const PREFERENCE: &str = "preference";

/// The rules in the order of their priority.
pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: EXPLICIT,
        kind: "fact",
        confidence: 0.95,
        phrases: &[
            words_but(
                "记住",
                &[
                    "没记住",
                    "未记住",
                    "不用记住",
                    "不必记住",
                    "难记住",
                    "能记住",
                    "我记住了",
                ],
            ),
            words_but("记一下", &["不用记一下", "没记一下"]),
            words_but("请记", &["请记者"]),
            words("帮我记"),
            words_but(
                "remember that",
                &[
                    "i remember that",
                    "you remember that",
                    "we remember that",
                    "they remember that",
                    "don't remember that",
                    "can't remember that",
                    "cannot remember that",
                ],
            ),
            words_but("note that", &["i note that", "footnote that"]),
        ],
    },
    Rule {
        name: PREFERENCE,
        kind: "preference",
        confidence: 0.8,
        phrases: &[
            words("我喜欢"),
            words("我更喜欢"),
            words("我偏好"),
            words_but("我习惯", &["我习惯了"]),
            words("我通常"),
            words("我不喜欢"),
            words("我讨厌"),
            words_but(
                "别用",
                &[
                    "特别用",
                    "分别用",
                    "个别用",
                    "区别用",
                    "类别用",
                    "级别用",
                    "性别用",
                    "识别用",
                    "差别用",
                ],
            ),
            words("不要用"),
            words("i prefer"),
            words("i always"),
            words("i never"),
            words("i don't like"),
        ],
    },
    Rule {
        name: DECISION,
        kind: "decision",
        confidence: 0.75,
        phrases: &[
            words_but(
                "决定",
                &[
                    "决定性",
                    "决定论",
                    "没决定",
                    "没有决定",
                    "未决定",
                    "由谁决定",
                ],
            ),
            words_but("采用", &["没采用", "没有采用", "不采用", "未采用"]),
            words_but(
                "定了",
                &[
                    "肯定了",
                    "一定了",
                    "稳定了",
                    "固定了",
                    "否定了",
                    "必定了",
                    "特定了",
                    "假定了",
                    "判定了",
                    "限定了",
                    "指定了",
                    "测定了",
                    "鉴定了",
                    "认定了",
                    "规定了",
                    "设定了",
                    "没定了",
                    "不确定了",
                ],
            ),
            words_but("就用", &["就用不", "就用得着", "成就用"]),
            words("选择用"),
            words("结论是"),
            words("we decided"),
            words("let's go with"),
            words("we'll use"),
        ],
    },
    Rule {
        name: "personal-fact",
        kind: "fact",
        confidence: 0.7,
        phrases: &[
            words_but(
                "我叫",
                &[
                    "我叫你",
                    "我叫他",
                    "我叫她",
                    "我叫它",
                    "我叫了",
                    "我叫不",
                    "我叫过",
                ],
            ),
            Phrase::Around {
                start: "我的",
                ends: &["是"],
                unlike: &[
                    "总是", "还是", "但是", "可是", "不是", "只是", "于是", "要是",
                ],
                but_not: &[
                    "我的意思是",
                    "我的问题是",
                    "我的理解是",
                    "我的想法是",
                    "我的感觉是",
                    "我的建议是",
                    "我的疑问是",
                ],
            },
            Phrase::Around {
                start: "我在",
                ends: &["工作", "住"],
                unlike: &["工作流", "工作区", "工作目录", "工作台", "记住", "忍不住"],
                but_not: &[],
            },
            words("my name is"),
            words("i work at"),
            words("i live in"),
        ],
    },
    Rule {
        name: "project-convention",
        kind: "project",
        confidence: 0.6,
        phrases: &[
            words("这个项目"),
            words("本项目"),
            words("我们的项目"),
            words("仓库约定"),
            words("in this project"),
            words("this repo"),
            words("convention"),
        ],
    },
];

/// Phrases that make a sentence a standing directive (design §8), unless the
/// vault's `directiveTriggers` say otherwise.
pub(super) const DIRECTIVES: [Phrase; 9] = [
    words("以后都"),
    words("今后都"),
    words("从现在起"),
    words("从今以后"),
    words("每次都"),
    words("from now on"),
    words("going forward"),
    words("every time"),
    words_but("always", &["i always"]),
];

/// Most characters between the two parts of [`Phrase::Around`].
const BETWEEN: usize = 20;

impl Phrase {
    /// Whether it stands in a sentence, which is lower-case.
    pub(super) fn stands_in(&self, sentence: &str) -> bool {
        match self {
            Phrase::Words { words, but_not } => contains(sentence, words, but_not),
            Phrase::Around {
                start,
                ends,
                unlike,
                but_not,
            } => {
                !but_not.iter().any(|other| sentence.contains(other))
                    && is_around(sentence, start, ends, unlike)
            }
        }
    }
}

/// Whether words stand in a sentence as words of their own, and not only as a
/// part of what is excepted.
pub(super) fn contains(sentence: &str, words: &str, but_not: &[&str]) -> bool {
    sentence.match_indices(words).any(|(at, _)| {
        let excepted = but_not.iter().any(|other| {
            let inside = other.find(words).unwrap_or_default();
            at.checked_sub(inside)
                .and_then(|start| sentence.get(start..))
                .is_some_and(|rest| rest.starts_with(other))
        });
        !excepted && stands_alone(sentence, at, words)
    })
}

/// Latin words end where their letters end; Chinese ones have no such end.
fn stands_alone(sentence: &str, at: usize, words: &str) -> bool {
    let before = sentence.get(..at).and_then(|text| text.chars().next_back());
    let after = sentence
        .get(at + words.len()..)
        .and_then(|text| text.chars().next());
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    let begins = !(latin(words.chars().next()) && is_letter(before));
    let ends = !(latin(words.chars().next_back()) && is_letter(after));
    begins && ends
}

fn is_around(sentence: &str, start: &str, ends: &[&str], unlike: &[&str]) -> bool {
    sentence.match_indices(start).any(|(at, _)| {
        let rest = sentence.get(at + start.len()..).unwrap_or_default();
        let clause = rest.chars().take_while(|c| !"，,。；;！？".contains(*c));
        // Something stands between: the end is not the first character.
        let after_first: String = clause.skip(1).take(BETWEEN + 1).collect();
        ends.iter().any(|end| contains(&after_first, end, unlike))
    })
}
