//! Vaults to measure on: memories of about 450 characters, English, Chinese
//! and both, the same on every machine.
//!
//! The words of the notes are drawn as words occur in a language
//! ([`crate::language`]), so that a few terms are in almost every memory and
//! most are in a handful: an index over evenly drawn words would be neither as
//! large nor as slow. The files are written by the format's own writer and
//! carry times in the past, as a vault has that was not written just now.
//! Vaults of every format hold the same notes, with kinds and statuses of
//! their own.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context as _;
use inkvault_guest::environment::Native;
use inkvault_guest::format::{Format, Ids, Kinds};
use inkvault_guest::memory::{Delivery, Metadata, Source, Status};
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::Vault;

use crate::language::Language;
use crate::random::Random;

/// Raised with every change of what is generated, so that no vault of before
/// is taken for one of now.
const VERSION: u32 = 2;
const SEED: u64 = 20_260_101;
/// 2025-01-01, in milliseconds since 1970; memories lie within the year after.
const FIRST_DAY: u64 = 1_735_689_600_000;
const YEAR: u64 = 365 * 24 * 3_600 * 1_000;
/// Characters of a note's text, at least and at most.
const LENGTHS: (usize, usize) = (330, 570);
const TAGS: [&str; 16] = [
    "work", "home", "editor", "release", "design", "testing", "ops", "travel", "健康", "学习",
    "工作", "代码", "budget", "meeting", "language", "tooling",
];

/// The notes of a vault and the questions asked of it.
#[derive(Clone)]
pub struct Corpus {
    english: Language,
    chinese: Language,
    format: &'static dyn Format,
    size: usize,
}

/// What is asked, of one sort each.
#[derive(Clone, Debug)]
pub struct Questions {
    /// English and Chinese sentences of eight to twelve words.
    pub questions: Vec<String>,
    /// Two English words.
    pub two_words: Vec<String>,
    /// Words that no memory holds.
    pub without_hit: Vec<String>,
    /// Chinese words of two characters.
    pub chinese_words: Vec<String>,
}

impl Questions {
    /// How many there are of each sort.
    const OF_EACH: usize = 25;

    /// The sorts by name.
    pub fn sorts(&self) -> [(&'static str, &[String]); 4] {
        [
            ("question", &self.questions),
            ("two words", &self.two_words),
            ("no hit", &self.without_hit),
            ("Chinese word", &self.chinese_words),
        ]
    }

    /// All, the sorts in turn.
    pub fn mixed(&self) -> Vec<&str> {
        let sorts = self.sorts();
        (0..Self::OF_EACH)
            .flat_map(|index| sorts.map(|(_, sort)| sort[index].as_str()))
            .collect()
    }
}

impl Corpus {
    /// A corpus of `size` notes, for vaults of a format.
    pub fn new(format: &'static dyn Format, size: usize) -> Self {
        Self {
            english: Language::english(),
            chinese: Language::chinese(),
            format,
            size,
        }
    }

    /// What it is called among measurements.
    pub fn name(&self) -> String {
        format!("{}/{}", self.format.name(), self.size)
    }

    /// A file of the private folder of a vault of this corpus.
    pub fn private_file(&self, vault: &Path, name: &str) -> PathBuf {
        vault.join(self.format.private_folder()).join(name)
    }

    /// The questions.
    pub fn questions(&self) -> Questions {
        let random = &mut Random::seeded(SEED ^ 0xa5a5);
        let several = |make: &mut dyn FnMut(usize) -> String| {
            (0..Questions::OF_EACH).map(make).collect::<Vec<_>>()
        };
        Questions {
            questions: several(&mut |index| match index % 2 {
                0 => self.english_question(random),
                _ => self.chinese_question(random),
            }),
            two_words: several(&mut |_| {
                let word = |random: &mut Random| self.english.telling_word(random).to_owned();
                format!("{} {}", word(random), word(random))
            }),
            without_hit: several(&mut |index| format!("qxz{index} zzqx")),
            chinese_words: several(&mut |_| self.chinese_pair(random)),
        }
    }

    /// The text of a memory that is not in the vault: what `write` is given.
    pub fn new_text(&self, number: u64) -> String {
        self.text(&mut Random::seeded(SEED ^ 0x5a5a ^ number << 20))
    }

    /// The vault of this corpus below `directory`: made when it is not there
    /// yet, and left alone by everyone who only reads it.
    ///
    /// # Errors
    /// Those of writing it.
    pub fn shared_vault(&self, directory: &Path) -> anyhow::Result<PathBuf> {
        let name = format!("{}-{VERSION}-{}", self.format.name(), self.size);
        let vault = directory.join(name);
        if vault.is_dir() {
            return Ok(vault);
        }
        fs::create_dir_all(directory)?;
        // Whole or not at all: it appears under its name when it is finished.
        let made = tempfile::tempdir_in(directory)?;
        self.write_vault(made.path())?;
        let made = made.keep();
        match fs::rename(&made, &vault) {
            Err(_) if vault.is_dir() => fs::remove_dir_all(&made)?,
            renamed => renamed?,
        }
        Ok(vault)
    }

    /// A vault of this corpus below `directory` that may be changed and goes
    /// when it is dropped.
    ///
    /// # Errors
    /// Those of writing it.
    pub fn own_vault(&self, directory: &Path) -> anyhow::Result<tempfile::TempDir> {
        fs::create_dir_all(directory)?;
        let vault = tempfile::tempdir_in(directory)?;
        self.write_vault(vault.path())?;
        Ok(vault)
    }

    fn write_vault(&self, directory: &Path) -> anyhow::Result<()> {
        Vault::new(Box::new(Native::open(directory)?)).init(self.format.name(), Some("en"))?;
        for number in 0..self.size {
            let (metadata, body) = self.memory(number);
            let path = directory.join(self.format.place(&metadata, None).as_str());
            let bytes = self.format.create(&metadata, &body, 0);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            write_file(&path, &bytes, metadata.updated)
                .with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// A memory of the corpus.
    fn memory(&self, number: usize) -> (Metadata, String) {
        let random = &mut Random::seeded(SEED.wrapping_add((number as u64) << 20));
        let body = self.text(random);
        let created = FIRST_DAY + random.bits() % YEAR;
        let updated = created + random.bits() % (YEAR / 12);
        let metadata = Metadata {
            id: self.id(number, created),
            title: self.title(number, &body, random),
            kind: self.kind(random),
            status: self.status(random),
            created: time(created),
            updated: time(updated),
            tags: tags(random),
            aliases: Vec::new(),
            confidence: 0.8,
            importance: None,
            pinned: false,
            delivery: Delivery::Recall,
            source: Source::Capture,
            origin: format!("thread-{}", number / 8),
            evidence: String::new(),
            supersedes: Vec::new(),
            superseded_by: String::new(),
            conflicts_with: Vec::new(),
            converted_from: String::new(),
            scope: self.scope(random),
        };
        (metadata, body)
    }

    /// The beginning of the text. Where it is the name of the file, no two are
    /// the same.
    fn title(&self, number: usize, body: &str, random: &mut Random) -> String {
        let length = random.between(18, 60);
        let title = self.format.title_of(body);
        match self.format.capabilities().ids {
            Ids::Drawn => title.chars().take(length).collect(),
            Ids::Places => {
                let title: String = title.chars().take(length.min(36)).collect();
                format!("{title}-{number}")
            }
        }
    }

    /// One of forty projects for half of the notes, where the format knows
    /// projects.
    fn scope(&self, random: &mut Random) -> Option<String> {
        let holds = self.format.capabilities().holds.scope;
        let project = if holds { random.below(80) } else { 80 };
        (project < 40).then(|| format!("project-{project}"))
    }

    /// An id of the format's form, its end another for every number below 16⁶.
    fn id(&self, number: usize, created: u64) -> String {
        // Odd, so that no two numbers meet.
        const STEP: usize = 11_400_715;
        let mut id = self.format.new_id(time(created), "");
        id.truncate(id.len().saturating_sub(6));
        id + &format!("{:06x}", number * STEP % (1 << 24))
    }

    fn kind(&self, random: &mut Random) -> String {
        match self.format.capabilities().kinds {
            Kinds::Closed(kinds) | Kinds::Open(kinds) => (*random.one_of(kinds)).to_owned(),
        }
    }

    /// Nine of ten are in force, whatever else the format knows.
    fn status(&self, random: &mut Random) -> Status {
        let status = match random.below(50) {
            43 => Status::Stale,
            44 => Status::Conflict,
            45..48 => Status::Pending,
            48 => Status::Superseded,
            49 => Status::Archived,
            _ => Status::Active,
        };
        let known = self.format.capabilities().statuses.contains(&status);
        if known { status } else { Status::Active }
    }

    /// Sentences up to the length of a note: half of the notes are English, a
    /// third Chinese, the others change from sentence to sentence.
    fn text(&self, random: &mut Random) -> String {
        let length = random.between(LENGTHS.0, LENGTHS.1);
        let chinese_in_six = *random.one_of(&[0, 0, 0, 6, 6, 3]);
        let mut text = String::new();
        let mut characters = 0;
        while characters < length {
            let sentence = if random.below(6) < chinese_in_six {
                self.chinese_sentence(random)
            } else {
                self.english_sentence(random)
            };
            characters += sentence.chars().count();
            text.push_str(&sentence);
            if random.below(5) == 0 {
                text.push_str("\n\n");
            }
        }
        let text: String = text.chars().take(length).collect();
        text.trim().to_owned()
    }

    fn english_sentence(&self, random: &mut Random) -> String {
        let words = random.between(6, 16);
        format!("{}. ", capitalised(&self.english_words(words, random)))
    }

    fn chinese_sentence(&self, random: &mut Random) -> String {
        let words = random.between(5, 12);
        let mut sentence = String::new();
        for word in 0..words {
            // Names of programs stand in Latin letters.
            if random.below(14) == 0 {
                sentence.push_str(self.english.telling_word(random));
            } else {
                sentence.push_str(self.chinese.word(random));
            }
            if word % 5 == 4 && word + 1 < words {
                sentence.push('，');
            }
        }
        sentence.push('。');
        sentence
    }

    fn english_question(&self, random: &mut Random) -> String {
        let words = random.between(6, 10);
        let telling = self.english.telling_word(random);
        let words = self.english_words(words, random);
        format!("what did we decide about {telling} {words}?")
    }

    fn chinese_question(&self, random: &mut Random) -> String {
        let words = random.between(5, 8);
        let words: String = (0..words).map(|_| self.chinese.word(random)).collect();
        format!("关于{}，{words}？", self.chinese_pair(random))
    }

    fn chinese_pair(&self, random: &mut Random) -> String {
        loop {
            let word = self.chinese.telling_word(random);
            if word.chars().count() == 2 {
                return word.to_owned();
            }
        }
    }

    fn english_words(&self, count: usize, random: &mut Random) -> String {
        let words: Vec<_> = (0..count).map(|_| self.english.word(random)).collect();
        words.join(" ")
    }
}

fn write_file(path: &Path, bytes: &[u8], updated: Timestamp) -> io::Result<()> {
    fs::write(path, bytes)?;
    let updated = u64::try_from(updated.millis()).unwrap_or_default();
    // A file that is written and seen in the same moment is read twice.
    let modified = UNIX_EPOCH + Duration::from_millis(updated) + Duration::from_nanos(7_919);
    File::options()
        .write(true)
        .open(path)?
        .set_modified(modified)
}

fn time(millis: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(millis).unwrap_or_default())
}

fn tags(random: &mut Random) -> Vec<String> {
    let mut tags = Vec::new();
    for _ in 0..random.between(1, 3) {
        let tag = (*random.one_of(&TAGS)).to_owned();
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use inkvault_guest::format::FORMATS;
    use inkvault_guest::vault::SearchOptions;

    use super::*;

    fn corpora(size: usize) -> impl Iterator<Item = Corpus> {
        FORMATS
            .into_iter()
            .map(move |format| Corpus::new(format, size))
    }

    #[test]
    fn notes_have_450_characters_on_average() {
        for corpus in corpora(0) {
            let length = |number| corpus.memory(number).1.chars().count();
            let mean = (0..500).map(length).sum::<usize>() / 500;
            assert!((430..470).contains(&mean), "{mean}");
        }
    }

    #[test]
    fn a_note_is_the_same_on_every_run_and_in_every_format() {
        let notes = |number| corpora(0).map(move |corpus| corpus.memory(number));
        assert!(notes(17).eq(notes(17)));
        let texts: HashSet<_> = notes(17).chain(notes(18)).map(|note| note.1).collect();
        assert_eq!(texts.len(), 2);
    }

    #[test]
    fn no_two_ids_are_the_same() {
        for corpus in corpora(0) {
            let ids: HashSet<_> = match corpus.format.capabilities().ids {
                Ids::Drawn => (0..100_000).map(|n| corpus.id(n, FIRST_DAY)).collect(),
                Ids::Places => {
                    let metadata = (0..100_000).map(|n| corpus.memory(n).0);
                    let place = |note| corpus.format.place(&note, None).as_str().to_owned();
                    metadata.map(place).collect()
                }
            };
            assert_eq!(ids.len(), 100_000);
        }
    }

    #[test]
    fn every_kind_and_status_of_a_format_occurs() {
        for corpus in corpora(0) {
            let notes: Vec<_> = (0..500).map(|number| corpus.memory(number).0).collect();
            let kinds: HashSet<_> = notes.iter().map(|note| note.kind.as_str()).collect();
            let statuses: HashSet<_> = notes.iter().map(|note| note.status.name()).collect();
            let known = corpus.format.capabilities();
            let (Kinds::Closed(all) | Kinds::Open(all)) = known.kinds;
            assert_eq!(all.len(), kinds.len());
            assert_eq!(statuses.len(), known.statuses.len());
        }
    }

    #[test]
    fn what_is_asked_is_there_and_what_is_not_is_not() {
        for corpus in corpora(300) {
            let directory = tempfile::tempdir().expect("a directory");
            let path = corpus.shared_vault(directory.path()).expect("a vault");
            let native = Native::open(&path).expect("opened");
            let mut vault = Vault::new(Box::new(native));
            let verification = vault.verify(false).expect("verified");
            assert_eq!(verification.checked, 300);
            assert_eq!(verification.faults, []);
            for (sort, questions) in corpus.questions().sorts() {
                let hits = |question: &String| {
                    let hits = vault.search(question, &SearchOptions::default());
                    hits.expect("searched").len()
                };
                let answered = questions.iter().map(hits).filter(|hits| *hits > 0).count();
                let expected = if sort == "no hit" { 0..1 } else { 12..26 };
                let name = corpus.name();
                assert!(expected.contains(&answered), "{name}, {sort}: {answered}");
            }
        }
    }
}
