//! Telling credentials from other text (design §8).
//!
//! Only what is recognisable beyond doubt counts: the exact shapes of
//! well-known tokens, private-key blocks, addresses with a password in them,
//! and a password that is said to be one (`password = …`, `密码是…`). Hashes,
//! ids and names of commits pass. The rules are the tables below.

/// What a text was recognised as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The kind of credential, for a person.
    pub kind: &'static str,
}

/// A token that begins with a fixed text and goes on with characters of a set.
struct Shape {
    kind: &'static str,
    prefix: &'static str,
    set: fn(char) -> bool,
    least: usize,
}

const fn shape(
    kind: &'static str,
    prefix: &'static str,
    set: fn(char) -> bool,
    least: usize,
) -> Shape {
    Shape {
        kind,
        prefix,
        set,
        least,
    }
}

const SHAPES: [Shape; 24] = [
    shape("AWS access key", "AKIA", is_upper, 16),
    shape("AWS access key", "ASIA", is_upper, 16),
    shape("GitHub token", "ghp_", is_alphanumeric, 36),
    shape("GitHub token", "gho_", is_alphanumeric, 36),
    shape("GitHub token", "ghu_", is_alphanumeric, 36),
    shape("GitHub token", "ghs_", is_alphanumeric, 36),
    shape("GitHub token", "ghr_", is_alphanumeric, 36),
    shape("GitHub token", "github_pat_", is_word, 22),
    shape("GitLab token", "glpat-", is_url_safe, 20),
    shape("Anthropic key", "sk-ant-", is_url_safe, 24),
    shape("OpenAI key", "sk-proj-", is_url_safe, 24),
    shape("API key", "sk-", is_alphanumeric, 32),
    shape("Stripe key", "sk_live_", is_alphanumeric, 16),
    shape("Stripe key", "rk_live_", is_alphanumeric, 16),
    shape("Slack token", "xoxb-", is_url_safe, 20),
    shape("Slack token", "xoxp-", is_url_safe, 20),
    shape("Slack token", "xoxa-", is_url_safe, 20),
    shape("Slack token", "xoxs-", is_url_safe, 20),
    shape("Google key", "AIza", is_url_safe, 35),
    shape("npm token", "npm_", is_alphanumeric, 36),
    shape("PyPI token", "pypi-AgE", is_url_safe, 32),
    shape("Hugging Face token", "hf_", is_alphanumeric, 34),
    shape("SendGrid key", "SG.", is_dotted, 40),
    shape("JSON web token", "eyJ", is_dotted, 60),
];

/// Words that announce a password, lower-case.
const ANNOUNCED: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret key",
    "secret_key",
    "client_secret",
    "api key",
    "api_key",
    "apikey",
    "access token",
    "access_token",
    "auth token",
    "auth_token",
    "密码",
    "口令",
    "密钥",
    "令牌",
];

/// What stands between the word and the password, lower-case.
const JOINED: [&str; 8] = ["=", ":", "：", "＝", " is:", " is ", "是", "为"];

/// The first credential in a text.
pub fn find(text: &str) -> Option<Secret> {
    let kind = if has_private_key(text) {
        "private key"
    } else if let Some(shape) = SHAPES.iter().find(|shape| shape.stands_in(text)) {
        shape.kind
    } else if has_password_in_address(text) {
        "address with a password"
    } else if has_announced_password(text) {
        "password"
    } else {
        return None;
    };
    Some(Secret { kind })
}

impl Shape {
    fn stands_in(&self, text: &str) -> bool {
        text.match_indices(self.prefix).any(|(at, _)| {
            let (before, after) = (
                text.get(..at).unwrap_or_default(),
                text.get(at + self.prefix.len()..).unwrap_or_default(),
            );
            let begins = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let token: String = after.chars().take_while(|c| (self.set)(*c)).collect();
            // A JSON web token has three parts.
            let whole = self.prefix != "eyJ" || token.matches('.').count() >= 2;
            begins && whole && token.len() >= self.least
        })
    }
}

fn has_private_key(text: &str) -> bool {
    text.split("-----BEGIN ").skip(1).any(|rest| {
        rest.split_once("-----").is_some_and(|(label, _)| {
            label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK")
        })
    })
}

/// `scheme://user:password@host`.
fn has_password_in_address(text: &str) -> bool {
    text.match_indices("://").any(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        let authority = rest
            .split(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`'))
            .next()
            .unwrap_or_default();
        let credentials = authority
            .rsplit_once('@')
            .and_then(|(credentials, _)| credentials.split_once(':'));
        credentials.is_some_and(|(_, password)| is_password(password, 1))
    })
}

fn has_announced_password(text: &str) -> bool {
    let lower = text.to_lowercase();
    ANNOUNCED.iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let before = lower.get(..at).unwrap_or_default();
            let begins = !word.is_ascii() || !before.ends_with(|c: char| c.is_ascii_alphanumeric());
            let after = lower.get(at + word.len()..).unwrap_or_default();
            begins && joined(after).is_some_and(|value| is_password(first_word(value), 6))
        })
    })
}

/// What follows the sign that joins a word to its value.
fn joined(after: &str) -> Option<&str> {
    let after = after.trim_start_matches(['"', '\'', '`', '*']);
    let trimmed = after.trim_start_matches([' ', '\t']);
    let rest = JOINED.iter().find_map(|sign| {
        if sign.starts_with(' ') {
            after.strip_prefix(sign)
        } else {
            trimmed.strip_prefix(sign)
        }
    });
    let between = |c: char| c.is_whitespace() || "\"'`=:：＝“‘「『".contains(c);
    rest.map(|rest| rest.trim_start_matches(between))
}

fn first_word(text: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || "\"'`,;，。；！？、“”‘’「」『』（）".contains(c);
    text.split(ends).next().unwrap_or_default()
}

/// Whether a value looks like a password and not like a placeholder, a name in
/// a program or a word of the sentence: printable ASCII of some length with a
/// digit or a sign that neither words nor paths have.
fn is_password(value: &str, least: usize) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':', ')', ']']);
    let placeholder = value.starts_with(['<', '$', '{', '[', '%', '*'])
        || value
            .chars()
            .all(|c| matches!(c, '*' | '.' | 'x' | 'X' | '•' | '-' | '_'));
    let is_odd =
        |c: char| c.is_ascii_digit() || !(c.is_ascii_alphabetic() || "-._/()[]'".contains(c));
    let printable = value.chars().all(|c| c.is_ascii_graphic());
    value.len() >= least && printable && value.chars().any(is_odd) && !placeholder
}

fn is_upper(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn is_alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_url_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn is_dotted(c: char) -> bool {
    is_url_safe(c) || c == '.'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn credentials_are_found() {
        // Put together here, so that no scanner takes this file for a leak.
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCD";
        for (prefix, kind) in [
            ("ghp_", "GitHub token"),
            ("sk-ant-", "Anthropic key"),
            ("sk-", "API key"),
            ("glpat-", "GitLab token"),
            ("xoxb-", "Slack token"),
            ("AIza", "Google key"),
            ("npm_", "npm token"),
            ("hf_", "Hugging Face token"),
        ] {
            let text = format!("记住 token {prefix}{letters} please");
            assert_eq!(find(&text).map(|secret| secret.kind), Some(kind), "{text}");
        }
        for text in [
            &format!("AKIA{}", "ABCD0123EFGH4567"),
            &format!("-----BEGIN RSA {} KEY-----\nMIIE", "PRIVATE"),
            "postgres://admin:hunter2@db.example.com/main",
            "password = hunter22",
            "my password is hunter22!",
            "Password: \"hunter22\"",
            "api_key=abc123def",
            "数据库密码是 abc12345",
            "密码：Passw0rd!",
            "口令为123456",
            "密码是：abc12345",
            "密码是“abc12345”",
            "（密码是abc12345）",
            "密码是abc12345！",
            "the password is: hunter22",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn hashes_ids_and_talk_of_passwords_pass() {
        for text in [
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "m-20261019-ab12cd and mem_20261017t075957_b1c8069b",
            "550e8400-e29b-41d4-a716-446655440000",
            "The password is stored in the keychain.",
            "The password is wrong.",
            "The access token is expired.",
            "Your API key is missing!",
            "the api key is read-only",
            "The password is case-sensitive",
            "password: process.env.DB_PASSWORD",
            "api_key = settings.API_KEY",
            "pwd=/home/me/project",
            "login(password: string)",
            "password: <your password>",
            "password = ********",
            "password = ${DB_PASSWORD}",
            "密码是由管理员发放的",
            "令牌环网络",
            "the secret is out",
            "sk-learn is scikit-learn",
            "https://example.com/a:b@c",
            "git@github.com:owner/repo.git",
            "token budget: 1000",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_through(text in any::<String>()) {
            let _ = find(&text);
        }
    }
}
