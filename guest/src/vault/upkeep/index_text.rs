//! The list of file names for the start of a conversation (simple memory
//! design §三.1). It costs what the directories cost that it names: the vault
//! is not opened for it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::environment::{self, Environment, FileKind, IoErrorKind, Open, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Listed, NameIndex};
use crate::memory::fingerprint;
use crate::vault::Vault;
use crate::vault::state::State;

/// Longest list where the call does not say, in characters.
const MOST_CHARACTERS: u32 = 8_000;

/// How long it is kept that a conversation was told.
const REMEMBERED: Duration = Duration::from_secs(90 * 24 * 3600);

/// How to render the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexOptions {
    /// The project at hand; without one nothing is listed.
    pub scope: Option<String>,
    /// Names of the project's own documents, which lie outside the vault.
    pub documents: Vec<String>,
    /// At most so many characters; none for 8,000.
    pub max_chars: Option<u32>,
    /// The conversation it is for, which gets it once.
    pub conversation: Option<String>,
}

/// The list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexText {
    /// The text; none where there is nothing to list.
    pub text: Option<String>,
    /// How many entries it has.
    pub entries: u32,
    /// Entries left out for the length.
    pub omitted: u32,
    /// The conversation was given it before.
    pub repeated: bool,
}

impl IndexText {
    /// What a conversation is answered that was given the list before.
    fn repeated() -> Self {
        IndexText {
            repeated: true,
            ..IndexText::default()
        }
    }
}

impl Vault {
    /// Renders the list of file names for a project. With a conversation, only
    /// once for it, also after a restart; a call that lists nothing does not
    /// count.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the format has no such list,
    /// [`Error::InvalidArgument`] for what is no name of a project; those of
    /// reading the directories.
    pub fn render_index(&mut self, options: &IndexOptions) -> Result<IndexText> {
        let told = self.conversations.clone();
        let conversation = options.conversation.as_deref();
        let (list, is_told) = self.recognised(|environment, state| {
            let names = state.name_index()?;
            let Some(scope) = &options.scope else {
                return Ok((IndexText::default(), false));
            };
            if let Some(conversation) = conversation
                && (told.contains(conversation) || state.was_told(environment, conversation)?)
            {
                return Ok((IndexText::repeated(), false));
            }
            let list = state.index_text(environment, names, scope, options)?;
            match conversation.filter(|_| list.text.is_some()) {
                Some(conversation) => Ok(state.tell_once(environment, conversation, list)),
                None => Ok((list, false)),
            }
        })?;
        if is_told {
            self.conversations.extend(conversation.map(str::to_owned));
        }
        Ok(list)
    }
}

impl State {
    fn name_index(&self) -> Result<&'static dyn NameIndex> {
        self.format.name_index().ok_or_else(|| {
            Error::Unsupported(format!(
                "a vault of format `{}` has no list of file names: use recall",
                self.format.name()
            ))
        })
    }

    fn index_text(
        &self,
        environment: &dyn Environment,
        names: &dyn NameIndex,
        scope: &str,
        options: &IndexOptions,
    ) -> Result<IndexText> {
        let [project, common] = names.directories(scope)?;
        let listed = Listed {
            project: scope.to_owned(),
            of_project: files_in(environment, &project, names)?,
            documents: options.documents.clone(),
            common: files_in(environment, &common, names)?,
            loose: files_in(environment, &VaultPath::root(), names)?,
            staged: self.staged(environment).unwrap_or_default(),
        };
        let most = options.max_chars.unwrap_or(MOST_CHARACTERS) as usize;
        let list = names.render(&listed, self.settings.language, most);
        Ok(IndexText {
            text: list.text,
            entries: list.entries as u32,
            omitted: list.omitted as u32,
            repeated: false,
        })
    }

    fn was_told(&self, environment: &dyn Environment, conversation: &str) -> Result<bool> {
        Ok(environment::is_there(
            environment,
            &self.private.told(&fingerprint(conversation.as_bytes())),
        )?)
    }

    /// Notes that a conversation is told, unless it just was by another
    /// process; the list to answer, and whether the note is to be kept in
    /// memory, since the vault can only be read.
    fn tell_once(
        &mut self,
        environment: &dyn Environment,
        conversation: &str,
        list: IndexText,
    ) -> (IndexText, bool) {
        if environment.is_read_only() || self.obstacle.is_some() {
            return (list, true);
        }
        let name = fingerprint(conversation.as_bytes());
        match self.note_told(environment, &name) {
            Ok(true) => {
                if name.starts_with("00") {
                    self.forget_conversations(environment);
                }
                (list, false)
            }
            Ok(false) => (IndexText::repeated(), false),
            // Full, or not writable: better once more after a restart than
            // never.
            Err(_) => (list, true),
        }
    }

    /// Notes that a conversation is told; false where that is noted already.
    fn note_told(&mut self, environment: &dyn Environment, name: &str) -> Result<bool> {
        self.prepare_private(environment)?;
        let file = self.private.told(name);
        let make = || environment.open(&file, Open::CreateNew).map(drop);
        let made = match make() {
            Err(error) if error.kind == IoErrorKind::NotFound => {
                environment::create_directories(environment, &file.parent())?;
                make()
            }
            made => made,
        };
        match made {
            Ok(()) => Ok(true),
            Err(error) if error.kind == IoErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes what is kept of conversations of long ago; done for one
    /// conversation in 256.
    fn forget_conversations(&self, environment: &dyn Environment) {
        let folder = self.private.told_folder();
        let entries = environment.list(&folder).unwrap_or_default();
        let now = u64::try_from(environment.now().millis()).unwrap_or_default();
        for entry in entries {
            let file = folder.join(&entry.name);
            let is_old = environment.stat(&file).is_ok_and(|stat| {
                Duration::from_millis(now.saturating_sub(stat.mtime / 1_000_000)) > REMEMBERED
            });
            if is_old {
                let _ = environment.unlink(&file);
            }
        }
    }
}

/// The names of the notes in a directory; none where it is not there.
fn files_in(
    environment: &dyn Environment,
    directory: &VaultPath,
    names: &dyn NameIndex,
) -> Result<Vec<String>> {
    let entries = match environment.list(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let files = entries.into_iter().filter(|entry| {
        matches!(entry.kind, FileKind::File | FileKind::Link)
            && names.is_listed(&directory.join(&entry.name))
    });
    let names: BTreeSet<_> = files.map(|entry| entry.name).collect();
    Ok(names.into_iter().collect())
}
