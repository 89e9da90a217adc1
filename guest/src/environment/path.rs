//! Paths inside a vault, validated once: defence in depth above the sandbox.

use std::fmt;

use serde::{Deserialize, Serialize};

const NAME_LIMIT: usize = 255;

/// A path relative to the vault, parts separated by `/`, without `.`, `..`
/// or empty parts. The empty path is the vault itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VaultPath(String);

/// Why a text is no path inside the vault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is empty.
    #[error("the path is empty: give one relative to the vault")]
    Empty,
    /// It begins at a root or a drive.
    #[error("`{0}` is absolute: give a path relative to the vault")]
    Absolute(String),
    /// Its `..` lead out of the vault.
    #[error("`{0}` leads out of the vault: give a path inside it")]
    Leaves(String),
    /// It has a NUL or a part longer than 255 bytes.
    #[error("`{0}` is no usable file name: no NUL, at most 255 bytes between slashes")]
    Unusable(String),
}

impl VaultPath {
    /// The vault itself.
    pub fn root() -> Self {
        VaultPath(String::new())
    }

    /// Validates a path from outside (inkvault contract §3, `safeResolve`).
    ///
    /// # Errors
    /// A [`PathError`] where the text is empty, absolute on any platform,
    /// leaves the vault by `..` (also with backslashes) or cannot be a name.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.starts_with(['/', '\\']) || has_drive(text) {
            return Err(PathError::Absolute(shortened(text)));
        }
        if text
            .split('/')
            .any(|part| part.contains('\\') && part.split('\\').any(|piece| piece == ".."))
        {
            return Err(PathError::Leaves(shortened(text)));
        }
        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(
                    parts
                        .pop()
                        .ok_or_else(|| PathError::Leaves(shortened(text)))?,
                ),
                part if part.len() > NAME_LIMIT || part.contains('\0') => {
                    return Err(PathError::Unusable(shortened(text)));
                }
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            Err(PathError::Empty)
        } else {
            Ok(VaultPath(parts.join("/")))
        }
    }

    /// A path known at compile time or built from parts that were validated.
    ///
    /// # Panics
    /// Never; in builds with debug assertions, where the text is not valid.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        debug_assert_eq!(
            Self::parse(&text).as_ref().map(VaultPath::as_str),
            Ok(text.as_str())
        );
        VaultPath(text)
    }

    /// The path of a name in this directory. The name comes from a listing
    /// or is one of ours.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        if self.0.is_empty() {
            VaultPath(name.to_owned())
        } else {
            VaultPath(format!("{}/{name}", self.0))
        }
    }

    /// The directory it lies in; of the vault itself, the vault.
    #[must_use]
    pub fn parent(&self) -> Self {
        VaultPath(
            self.0
                .rsplit_once('/')
                .map_or(String::new(), |(parent, _)| parent.to_owned()),
        )
    }

    /// Its last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Its last part without `.md`, if it ends so.
    pub fn markdown_stem(&self) -> Option<&str> {
        self.name()
            .strip_suffix(".md")
            .filter(|stem| !stem.is_empty())
    }

    /// Whether it is the vault itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Its text, without a leading or trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for VaultPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        Self::parse(&text)
    }
}

impl From<VaultPath> for String {
    fn from(path: VaultPath) -> Self {
        path.0
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() {
            "the vault"
        } else {
            &self.0
        })
    }
}

fn has_drive(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut start: String = characters
        .by_ref()
        .take(80)
        .flat_map(char::escape_debug)
        .collect();
    if characters.next().is_some() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_are_normalised() {
        for (text, expected) in [
            ("memory/a.md", "memory/a.md"),
            ("memory//./a.md", "memory/a.md"),
            ("memory/../b.md", "b.md"),
            ("..foo/a.md", "..foo/a.md"),
            ("a\\b.md", "a\\b.md"),
            ("记忆/笔记.md", "记忆/笔记.md"),
        ] {
            assert_eq!(
                VaultPath::parse(text).as_ref().map(VaultPath::as_str),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn paths_that_leave_are_refused() {
        let long = "x".repeat(300);
        for text in [
            "",
            ".",
            "a/..",
            "..",
            "../x",
            "memory/../../x",
            "/etc/passwd",
            "C:\\x",
            "c:x",
            "\\\\srv\\share",
            "a\\..\\..\\x",
            "..\\x",
            "a\0b",
            &long,
        ] {
            assert!(VaultPath::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn parts() {
        let path = VaultPath::known("memory/a.md");
        assert_eq!(path.parent().as_str(), "memory");
        assert_eq!(path.name(), "a.md");
        assert_eq!(path.markdown_stem(), Some("a"));
        assert!(path.parent().parent().is_root());
        assert_eq!(path.parent().join("b.md").as_str(), "memory/b.md");
    }
}
