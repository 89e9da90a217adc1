//! Telling which format a directory has.

use super::{DshMemory, Format, Inkvault, Simple};
use crate::environment::{Entry, FileKind};
use crate::error::{Error, Result};

/// The top of a directory, for telling formats apart.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names in it.
    pub entries: Vec<Entry>,
    /// The `config.json` of each private folder in it, by the folder's name.
    pub configs: Vec<(String, Vec<u8>)>,
    /// The names in each telltale directory, by the directory.
    pub telltales: Vec<(String, Vec<Entry>)>,
    /// The content of each telltale page, by its name.
    pub pages: Vec<(String, Vec<u8>)>,
}

impl Listing {
    /// Whether there is a directory of that name.
    pub fn has_directory(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name == name && entry.kind == FileKind::Directory)
    }

    /// Whether a telltale directory holds an entry of which that is true.
    pub fn holds(&self, directory: &str, is_sign: impl Fn(&Entry) -> bool) -> bool {
        let mut known = self.telltales.iter().filter(|(name, _)| name == directory);
        known.any(|(_, entries)| entries.iter().any(&is_sign))
    }

    /// The content of a telltale page.
    pub fn page(&self, name: &str) -> Option<&[u8]> {
        let mut pages = self.pages.iter();
        pages
            .find(|(known, _)| known == name)
            .map(|(_, page)| &**page)
    }

    /// Whether there is a file of that name.
    pub fn has_file(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name == name && entry.kind == FileKind::File)
    }

    /// The configuration in a private folder, as far as it is JSON.
    pub fn config(&self, folder: &str) -> Option<serde_json::Value> {
        let (_, bytes) = self.configs.iter().find(|(name, _)| name == folder)?;
        serde_json::from_slice(bytes).ok()
    }
}

/// How surely a directory is a vault of a format.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It is not.
    None,
    /// Its directories look like it.
    Likely,
    /// Its private folder says so.
    Sure,
    /// Its private folder belongs to another product; the text says which.
    Foreign(String),
}

/// All formats.
pub const FORMATS: [&dyn Format; 3] = [&Inkvault, &DshMemory, &Simple];

/// The format of a name.
///
/// # Errors
/// [`Error::InvalidArgument`] for an unknown name.
pub fn named(name: &str) -> Result<&'static dyn Format> {
    let mut formats = FORMATS.into_iter();
    formats.find(|format| format.name() == name).ok_or_else(|| {
        let known = FORMATS.map(Format::name);
        Error::InvalidArgument(format!(
            "format `{name}` is unknown: use {}",
            known.join(", ")
        ))
    })
}

/// Tells which format a directory has; none where it is no vault.
///
/// # Errors
/// [`Error::Refused`] where a private folder belongs to another product.
pub fn detect(listing: &Listing) -> Result<Option<&'static dyn Format>> {
    let claims: Vec<_> = FORMATS
        .iter()
        .map(|format| (format.detect(listing), *format))
        .collect();
    if let Some((Claim::Foreign(why), _)) = claims
        .iter()
        .find(|(claim, _)| matches!(claim, Claim::Foreign(_)))
    {
        return Err(Error::Refused(why.clone()));
    }
    let best = claims
        .into_iter()
        .filter(|(claim, _)| *claim != Claim::None)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    Ok(best.map(|(_, format)| format))
}
