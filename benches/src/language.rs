//! Words of two languages by how common they are: real ones for the commonest,
//! then made of syllables and characters, so that rare words never run out.

use std::collections::HashSet;

use crate::random::{Random, Zipf};

/// Words a language has. Every tenth of them is used once in a while at most.
const WORDS: usize = 30_000;

const ENGLISH: &str = "\
the of and to in is that for it we on with as are was be by this not from have or an at they which \
should when use will after before can more all our new there if has only but one do what release \
user team project code test file note plan meeting service build branch editor server database \
review deploy version config error memory agent prefer decision because always never weekly monday \
friday morning customer invoice backup password rotate cache index query search schema migration \
deadline draft design document holiday training office printer budget contract supplier delivery \
warehouse sensor dashboard report metric alert incident rollback feature customer request account \
language keyboard theme dark light tabs spaces python rust java kubernetes docker postgres redis \
network latency storage bucket region token session cookie browser mobile desktop android linux";

const CHINESE: &str = "\
的 了 是 在 我们 不 和 有 他 这 就 也 要 用户 项目 使用 需要 问题 可以 如果 时候 因为 所以 已经 没有 \
代码 测试 文件 会议 计划 服务 数据 数据库 版本 发布 部署 配置 错误 记忆 偏好 决定 团队 客户 设计 文档 \
每周 周一 周五 上午 下午 备份 密码 缓存 索引 查询 搜索 迁移 截止 日期 草稿 假期 培训 办公室 预算 合同 \
供应商 交付 仓库 传感器 报表 指标 告警 事故 回滚 功能 请求 账号 语言 键盘 主题 深色 浅色 网络 延迟 存储 \
区域 令牌 会话 浏览器 手机 桌面 系统 环境 变量 接口 参数 日志 监控 权限 审批 流程 规范 命名 分支 合并";

const CHARACTERS: &str = "\
一大小上下中前后里外东西南北山水火土木金日月天地人口手心目耳足车马牛羊鱼鸟花草树林石田禾米衣食住行走跑飞来去\
出入开关左右多少高低长短新旧好坏美丑真假黑白红黄蓝绿青紫春夏秋冬风雨雪云电雷光声色香味冷热快慢轻重远近深浅宽窄\
学习教书读写说话听看想知道理解记忘思考问答信件电报纸笔墨画歌舞乐琴棋球戏影视网线机器件工具材料产品质量价格市场\
公司银行医院学校工厂农村城市国家政府法律经济文化科技历史社会民族语言文字艺术体育卫生环境资源能源交通运输通信";

const ONSETS: [&str; 18] = [
    "b", "br", "c", "d", "f", "g", "gr", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v",
];
const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const CODAS: [&str; 8] = ["", "n", "r", "l", "s", "t", "m", "nd"];

/// The words of a language, commonest first.
#[derive(Clone, Debug)]
pub struct Language {
    words: Vec<String>,
    zipf: Zipf,
}

impl Language {
    /// English.
    pub fn english() -> Self {
        Self::of(ENGLISH, |random| {
            let syllables = random.between(2, 3);
            (0..syllables).map(|_| syllable(random)).collect()
        })
    }

    /// Chinese, written without spaces.
    pub fn chinese() -> Self {
        let characters: Vec<char> = CHARACTERS.chars().collect();
        Self::of(CHINESE, |random| {
            let length = random.between(2, 3);
            (0..length).map(|_| *random.one_of(&characters)).collect()
        })
    }

    fn of(common: &str, make: impl Fn(&mut Random) -> String) -> Self {
        let mut random = Random::seeded(common.len() as u64);
        let mut known = HashSet::new();
        let mut words = Vec::with_capacity(WORDS);
        let given = common.split_whitespace().map(str::to_owned);
        let made = std::iter::repeat_with(|| make(&mut random));
        for word in given.chain(made) {
            if known.insert(word.clone()) {
                words.push(word);
            }
            if words.len() == WORDS {
                break;
            }
        }
        let zipf = Zipf::new(words.len());
        Self { words, zipf }
    }

    /// A word as often as it occurs.
    pub fn word(&self, random: &mut Random) -> &str {
        &self.words[self.zipf.rank(random)]
    }

    /// A word that a person would look for: neither one of the commonest nor
    /// one that hardly occurs.
    pub fn telling_word(&self, random: &mut Random) -> &str {
        const COMMONEST: usize = 40;
        const RAREST: usize = 1_000;
        let mut rank = self.zipf.rank(random);
        while !(COMMONEST..RAREST).contains(&rank) {
            rank = self.zipf.rank(random);
        }
        &self.words[rank]
    }
}

fn syllable(random: &mut Random) -> String {
    let parts = [
        *random.one_of(&ONSETS),
        *random.one_of(&VOWELS),
        *random.one_of(&CODAS),
    ];
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_does_not_run_out_of_words() {
        for language in [Language::english(), Language::chinese()] {
            let distinct: HashSet<_> = language.words.iter().collect();
            assert_eq!(distinct.len(), WORDS);
        }
    }

    #[test]
    fn what_a_person_looks_for_is_no_stop_word() {
        let (english, mut random) = (Language::english(), Random::seeded(3));
        for _ in 0..1_000 {
            let word = english.telling_word(&mut random);
            assert!(
                !english.words[..40].iter().any(|common| common == word),
                "{word}"
            );
        }
    }
}
