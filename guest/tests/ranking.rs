//! The ranking of `recall` against a slow computation of the same recipe, and
//! what it is good for: forms of words, typing errors, dates, other languages.

mod common;

use std::collections::{BTreeSet, HashMap};

use common::{machine, process};
use inkvault_guest::environment::Machine;
use inkvault_guest::text::characters::is_cjk;
use inkvault_guest::text::stems::stem;
use inkvault_guest::text::tokenizer::Tokenizer;
use inkvault_guest::text::words::{is_stop_word, without_interrogatives};
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{RecallRequest, Vault};
use proptest::prelude::*;

const WORDS: [&str; 16] = [
    "painted",
    "painting",
    "paint",
    "rocket",
    "rockets",
    "the",
    "was",
    "dogs",
    "dog",
    "went",
    "going",
    "yesterday",
    "长期记忆",
    "记忆",
    "火箭",
    "what",
];

/// A note as a person wrote it.
#[derive(Clone, Debug)]
struct Note {
    title: &'static str,
    body: String,
    origin: Option<&'static str>,
    created: Option<&'static str>,
}

fn note(body: &str) -> Note {
    Note {
        title: "untitled",
        body: body.to_owned(),
        origin: None,
        created: None,
    }
}

fn id(number: usize) -> String {
    format!("m-20261001-{number:06}")
}

fn put(machine: &Machine, number: usize, note: &Note) {
    let Note { title, body, .. } = note;
    let id = id(number);
    let created = note.created.map_or(String::new(), |date| {
        format!("created: {date}\nupdated: {date}\n")
    });
    let origin = note.origin.unwrap_or_default();
    let file = format!(
        "---\nid: {id}\ntitle: {title}\nkind: fact\nstatus: active\n{created}tags: []\n\
         confidence: 0.5\nsource: manual\norigin: '{origin}'\ndelivery: recall\n---\n\n{body}"
    );
    machine.put(&format!("memory/{id}.md"), file);
}

fn filled(notes: &[Note]) -> Machine {
    let machine = machine();
    for (number, note) in notes.iter().enumerate() {
        put(&machine, number, note);
    }
    machine.advance(std::time::Duration::from_secs(60));
    machine
}

fn order(vault: &mut Vault, query: &str) -> Vec<(String, f64)> {
    let request = RecallRequest {
        query: Some(query.to_owned()),
        limit: Some(100),
        ..RecallRequest::default()
    };
    vault.recall_order(&request).expect("an order")
}

/// The numbers of the notes that a question finds, best first.
fn answers(notes: &[Note], query: &str) -> Vec<usize> {
    let mut process = process(&filled(notes));
    let number = |(id, _): (String, f64)| (0..notes.len()).find(|number| self::id(*number) == id);
    let found = order(&mut process.vault, query).into_iter();
    found.filter_map(number).collect()
}

/// A note as the slow computation sees it.
struct Measured {
    number: usize,
    thread: String,
    created: i64,
    stems: HashMap<String, f64>,
    pairs: HashMap<char, f64>,
    length: f64,
}

fn measured(number: usize, note: &Note) -> Measured {
    let tokens = Tokenizer::Bigrams.tokens(&format!("{}\n{}", note.title, note.body));
    let mut stems = HashMap::new();
    let mut pairs = HashMap::new();
    for token in &tokens {
        *stems.entry(stem(token).into_owned()).or_insert(0.0) += 1.0;
        let first = token.chars().next().expect("a character");
        if is_cjk(first) {
            *pairs.entry(first).or_insert(0.0) += 1.0;
        }
    }
    let day = note.created.map(|date| date[..10].to_owned());
    let created = note
        .created
        .and_then(Timestamp::parse)
        .map_or(0, Timestamp::millis);
    let thread = note.origin.map(str::to_owned).or(day);
    Measured {
        number,
        thread: thread.unwrap_or_else(|| format!("alone {number}")),
        created,
        stems,
        pairs,
        length: tokens.len() as f64,
    }
}

fn saturated(count: f64, length: f64, mean: f64) -> f64 {
    2.2 * count / (count + 1.2 * (0.25 + 0.75 * length / mean))
}

/// The recipe, word by word, over notes of one line each.
fn slow(notes: &[Note], query: &str) -> Vec<(String, f64)> {
    let mut all: Vec<_> = (0..)
        .zip(notes)
        .map(|(n, note)| measured(n, note))
        .collect();
    all.sort_by_key(|note| (note.thread.clone(), note.created, note.number));
    let count = all.len() as f64;
    let cleaned = without_interrogatives(query).into_owned();
    let mut tokens = Tokenizer::Bigrams.tokens(&cleaned);
    tokens.retain(|token| !is_stop_word(token));
    let asked = if tokens.is_empty() { query } else { &cleaned };
    if tokens.is_empty() {
        tokens = Tokenizer::Bigrams.tokens(query);
    }
    let stems: BTreeSet<String> = tokens
        .iter()
        .map(|token| stem(token).into_owned())
        .collect();
    let idf = |df: usize| (1.0 + (count - df as f64 + 0.5) / (df as f64 + 0.5)).ln();
    let tf = |note: &Measured, stem: &String| note.stems.get(stem).copied().unwrap_or(0.0);
    let weight = |stem: &String| idf(all.iter().filter(|note| tf(note, stem) > 0.0).count());
    let mean = all.iter().map(|note| note.length).sum::<f64>() / count;
    let around = |at: usize, value: &dyn Fn(&Measured) -> f64| -> f64 {
        let near = all
            .iter()
            .enumerate()
            .filter(|(other, note)| at.abs_diff(*other) <= 4 && note.thread == all[at].thread);
        near.map(|(other, note)| (1.0 - at.abs_diff(other) as f64 / 5.0) * value(note))
            .sum()
    };
    let lengths: Vec<f64> = (0..all.len())
        .map(|at| around(at, &|note| note.length))
        .collect();
    let mean_window = lengths.iter().sum::<f64>() / count;
    let own = |at: usize| -> f64 {
        let share = |stem| weight(stem) * saturated(tf(&all[at], stem), all[at].length, mean);
        stems.iter().map(share).sum()
    };
    let window = |at: usize| -> f64 {
        let share = |stem| {
            weight(stem) * saturated(around(at, &|note| tf(note, stem)), lengths[at], mean_window)
        };
        stems.iter().map(share).sum()
    };
    let characters: BTreeSet<char> = asked.chars().filter(|c| is_cjk(*c)).collect();
    let of_characters = |at: usize| -> f64 {
        let tf = |note: &Measured, c: &char| note.pairs.get(c).copied().unwrap_or(0.0);
        let share = |c| {
            let df = all.iter().filter(|note| tf(note, c) > 0.0).count();
            idf(df) * saturated(tf(&all[at], c), all[at].length, mean)
        };
        characters.iter().map(share).sum()
    };
    let raw: BTreeSet<String> = Tokenizer::Bigrams.tokens(query).into_iter().collect();
    let newest = all.iter().map(|note| note.created).max().unwrap_or(0);
    let mut scored: Vec<(String, f64)> = Vec::new();
    for at in 0..all.len() {
        let note = &notes[all[at].number];
        let before = at
            .checked_sub(1)
            .filter(|last| all[*last].thread == all[at].thread);
        let answer = match before {
            Some(last) if notes[all[last].number].body.contains('?') => own(last),
            _ => 0.0,
        };
        let mut score = own(at) + 1.5 * window(at) + 0.8 * answer;
        let title = Tokenizer::Bigrams.distinct(note.title);
        let named = title.iter().filter(|token| raw.contains(*token)).count();
        score *= 1.0 + 0.2 * named as f64 / title.len() as f64;
        let in_conversation = note.origin.is_some();
        if in_conversation && query.starts_with("when") && note.body.contains("yesterday") {
            score *= 1.15;
        }
        if in_conversation && note.body.ends_with('?') {
            score *= 0.9;
        }
        score += 2.0 * of_characters(at);
        if !in_conversation && note.created.is_some() {
            let days = (newest - all[at].created) as f64 / 86_400_000.0;
            score *= 1.0 + 0.03 * (180.0 / (90.0 + days) - 1.0);
        }
        if score > 0.0 && (in_conversation || own(at) + of_characters(at) > 0.0) {
            scored.push((id(all[at].number), (score * 1e6).round() / 1e6));
        }
    }
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    scored
}

fn sentence() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..8);
    (words, any::<bool>()).prop_map(|(words, asks)| {
        let end = if asks { "?" } else { "." };
        format!("{}{end}", words.join(" "))
    })
}

fn any_note() -> impl Strategy<Value = Note> {
    let title = prop::sample::select(vec!["Ann", "rocket dogs", "火箭"]);
    let origin = prop::sample::select(vec![None, Some("one"), Some("two")]);
    let created = prop::sample::select(vec![
        None,
        Some("2026-01-01T10:00:00.000Z"),
        Some("2026-01-01T11:00:00.000Z"),
        Some("2026-03-01T10:00:00.000Z"),
    ]);
    (title, sentence(), origin, created).prop_map(|(title, body, origin, created)| Note {
        title,
        body,
        origin,
        created,
    })
}

fn by_id(list: &[(String, f64)]) -> HashMap<&str, f64> {
    list.iter()
        .map(|(id, score)| (id.as_str(), *score))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_order_is_that_of_the_recipe(
        notes in prop::collection::vec(any_note(), 1..24),
        asked in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..5),
        when in any::<bool>(),
    ) {
        // Words that no note has would be taken for misspelled ones.
        let held = |word: &&str| word.chars().any(is_cjk) || is_stop_word(word)
            || notes.iter().any(|note| Tokenizer::Bigrams.tokens(&note.body).iter().any(|token| stem(token) == stem(word)));
        let asked: Vec<_> = asked.into_iter().filter(held).collect();
        let query = format!("{}{}", if when { "when " } else { "" }, asked.join(" "));
        let mut process = process(&filled(&notes));
        let found = order(&mut process.vault, &query);
        let expected = slow(&notes, &query);
        let (one, other) = (by_id(&found), by_id(&expected));
        prop_assert_eq!(one.len(), other.len(), "{:?} is not {:?}", found, expected);
        for (id, score) in &one {
            let near = other.get(id).is_some_and(|other| (score - other).abs() <= 3e-6);
            prop_assert!(near, "{} in {:?} is not {:?}", id, found, expected);
        }
        prop_assert!(found.is_sorted_by(|a, b| a.1 >= b.1), "{:?}", found);
    }

    /// Whatever order the files came in, from a snapshot or not.
    #[test]
    fn the_order_is_the_same_however_the_index_came_to_be(
        notes in prop::collection::vec(any_note(), 1..24),
        later in prop::collection::vec((0usize..24, any_note()), 0..12),
        query in sentence(),
    ) {
        let machine = filled(&notes);
        let mut one = process(&machine);
        order(&mut one.vault, &query);
        let mut notes = notes;
        for (number, note) in later {
            let number = number % (notes.len() + 1);
            put(&machine, number, &note);
            match notes.get_mut(number) {
                Some(known) => *known = note,
                None => notes.push(note),
            }
            machine.advance(std::time::Duration::from_secs(60));
            order(&mut one.vault, "");
        }
        let expected = order(&mut process(&filled(&notes)).vault, &query);
        prop_assert_eq!(order(&mut one.vault, &query), expected.clone());
        one.vault.rebuild_index().expect("rebuilt");
        prop_assert_eq!(order(&mut one.vault, &query), expected.clone());
        prop_assert_eq!(order(&mut process(&machine).vault, &query), expected);
    }
}

#[test]
fn forms_and_typing_errors_meet() {
    let notes = [
        note("She painted a sunrise over the lake"),
        note("The children went to the museum"),
        note("An electrician repaired the fuse box"),
    ];
    for (query, best) in [
        ("Who paints sunrises?", 0),
        ("Where did the child go?", 1),
        ("electrican", 2),
        ("elecrtician", 2),
        ("musuem", 1),
        ("when was the sunrize painted", 0),
    ] {
        assert_eq!(answers(&notes, query).first(), Some(&best), "{query}");
    }
    for query in ["xlectrician", "box2", "fusebox", "zzz"] {
        assert!(answers(&notes, query).is_empty(), "{query}");
    }
}

#[test]
fn languages_work_as_words_or_pairs() {
    let notes = [
        note("Der Zahnarzttermin ist am Dienstag um neun Uhr"),
        note("La réunion du comité est reportée à jeudi"),
        note("La contraseña del servidor está en la caja fuerte"),
        note("Ключ от гаража лежит в синей коробке"),
        note("会議は東京駅の近くのホテルで開かれます"),
        note("프로젝트 마감일은 다음 주 금요일입니다"),
        note("服务器的备份每天凌晨三点运行"),
        note("用 Rust 重写了 tokenizer 模块"),
    ];
    for (query, best) in [
        ("Wann ist der Zahnarzttermin?", 0),
        ("Quand a lieu la réunion du comité ?", 1),
        ("¿Dónde está la contraseña?", 2),
        ("Где ключи от гаражей?", 3),
        ("会議はどこですか", 4),
        ("마감일이 언제예요?", 5),
        ("什么时候运行备份？", 6),
        ("tokenizer 是谁重写的", 7),
    ] {
        assert_eq!(answers(&notes, query).first(), Some(&best), "{query}");
    }
}

#[test]
fn dates_in_a_question_count() {
    let dated = |date: &'static str| Note {
        created: Some(date),
        ..note("We hiked up the mountain")
    };
    let notes = [
        dated("2023-05-08T10:00:00.000Z"),
        dated("2023-08-20T10:00:00.000Z"),
        dated("2022-05-20T10:00:00.000Z"),
    ];
    for (query, best) in [
        ("the hike of 8 May 2023", 0),
        ("which mountain in August?", 1),
        ("mountain in May 2022", 2),
        ("hiking in 2022", 2),
        ("2023年8月 mountain", 1),
    ] {
        assert_eq!(answers(&notes, query).first(), Some(&best), "{query}");
    }
}

/// In a conversation an answer needs none of the question's words; on a day,
/// what only stands near stays out.
#[test]
fn neighbours_are_context_in_conversations() {
    let said = |body: &str| Note {
        origin: Some("talk"),
        created: Some("2026-01-01T10:00:00.000Z"),
        ..note(body)
    };
    let talk = [
        said("Where does Melanie keep the kayak?"),
        said("Behind her garage."),
        said("Nice."),
    ];
    assert_eq!(answers(&talk, "Melanie kayak")[..2], [0, 1]);
    let day = talk.map(|note| Note {
        origin: None,
        ..note
    });
    assert_eq!(answers(&day, "Melanie kayak"), [0]);
}

/// The best few lines count, not how much else there is.
#[test]
fn the_best_lines_of_a_long_note_count() {
    let filler = |word: &str| {
        let line = format!("{word} something else entirely, nothing to see here at all\n");
        line.repeat(8)
    };
    let scattered = format!(
        "the lantern hangs\n{}the cellar is dry\n{}the key is lost",
        filler("first"),
        filler("second")
    );
    let together = format!(
        "{}the lantern hangs\nthe cellar is dry\nthe key is lost\n{}",
        filler("first"),
        filler("second")
    );
    let notes = [note(&scattered), note(&together)];
    assert_eq!(answers(&notes, "lantern cellar key"), [1, 0]);
}
