//! From one format to another: what the command takes and refuses, what its
//! report says, and that nothing is lost on the way there and back.

#[path = "convert/simple.rs"]
mod simple;

use std::collections::BTreeMap;
use std::fs;

use inkvault::convert::{
    self as conversion, Field, FileNames, Finding, Pair, Report, Shape, convert,
};
use inkvault::types::{Metadata, Source};
use inkvault::upkeep::InitOptions;
use inkvault::{Vault, types};
use inkvault_guest::format::{
    BodyLimit, FORMATS, Format, Holds, Ids, Inkvault, Kinds, Parsed, Simple,
};
use inkvault_guest::memory::{self as guest, Area, Status};
use inkvault_guest::timestamp::Timestamp;
use inkvault_tests::shown::{failure, json, printed, run, with_one};
use inkvault_tests::various::various;
use inkvault_tests::{Folder, note};
use insta::assert_snapshot;

/// Converts the vault in a folder, to a vault in another folder.
fn converted(source: &Folder, to: &str) -> (Folder, Report) {
    let target = Folder::empty();
    let mut from = source.open();
    let pair = pair(&mut from, to);
    let report = convert(&mut from, pair, Some(&mut target.open()), 0, &mut |_, _| ());
    (target, report.expect("converted"))
}

fn pair(source: &mut Vault, to: &str) -> &'static Pair {
    let format = source.overview().expect("a vault").format;
    Pair::named(&format, to).expect("a way")
}

/// A vault of the format `dsh-memory` with these files.
fn dsh_vault(files: &[(&str, String)]) -> Folder {
    let folder = Folder::empty();
    let made = folder.open().init("dsh-memory", &InitOptions::default());
    made.expect("a vault");
    for (path, file) in files {
        folder.put(path, file);
    }
    folder
}

/// A file of that format; `keys` are lines of its frontmatter.
fn dsh_file(id: &str, keys: &str, title: &str, text: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: {title}\ncreated_at: 2026-10-17T07:59:57.013Z\n\
         updated_at: 2026-10-18T07:59:57.013Z\n{keys}\nschema_version: 1\n---\n\n\
         # {title}\n\n## 核心内容\n\n{text}\n\n## 来源与依据\n\n（暂无可追溯来源）\n"
    )
}

/// The findings as lines: part, what, how many.
fn told(findings: &[Finding]) -> Vec<String> {
    let lines = findings.iter().map(|finding| {
        let count = finding.memories.len();
        format!("{} {}: {count}", finding.field.name(), finding.what)
    });
    lines.collect()
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let ((folder, _), outside) = (with_one(), Folder::empty());
    let before = folder.files();
    let into = outside.at("new").display().to_string();
    let arguments = ["convert", ".", &into, "--to", "dsh-memory", "--dry-run"];
    let shown = printed(&folder, &arguments).replace(&into, "/new");
    assert_snapshot!(shown, @r"
    to convert  1 memory
    from        /notes (inkvault)
    to          /new (dsh-memory)

    The same in other terms
    1  kind        fact becomes knowledge                                            m-20261019-ab12cd
    1  text        set below the headings of dsh-memory                              m-20261019-ab12cd
    1  tags        the kind is one of them                                           m-20261019-ab12cd
    1  confidence  becomes low (0.3)                                                 m-20261019-ab12cd
    1  confidence  too unsure to be recalled in dsh-memory, sure enough in inkvault  m-20261019-ab12cd

    Kept in added keys
    1  converted-from    m-20261019-ab12cd
    ");
    assert_eq!(folder.files(), before);
    assert!(!outside.at("new").exists());
}

#[test]
fn the_report_is_there_for_programs() {
    let ((folder, id), outside) = (with_one(), Folder::empty());
    let into = outside.at("new").display().to_string();
    let arguments = ["convert", ".", &into, "--to", "dsh-memory", "--dry-run"];
    let report = json(&folder, &arguments);
    assert_eq!(report["from"], "inkvault");
    assert_eq!(report["to"], "dsh-memory");
    assert_eq!(
        (&report["memories"], &report["converted"]),
        (&1.into(), &1.into())
    );
    let kind = &report["mapped"][0];
    assert_eq!(kind["field"], "kind");
    assert_eq!(kind["what"], "fact becomes knowledge");
    assert_eq!(kind["memories"][0]["id"], id.as_str());
    assert_eq!(report["kept"][0]["field"], "converted-from");
    assert_eq!(report["lost"], serde_json::json!([]), "all are defaults");
    assert_eq!(report["skipped"], serde_json::json!([]));
    assert_eq!(report["ids"], serde_json::json!([]), "a dry run makes none");
}

#[test]
fn a_vault_is_made_only_where_nothing_is() {
    let outer = Folder::empty();
    let vault = outer.at("notes");
    fs::create_dir_all(&vault).expect("a directory");
    let made = Vault::open(&vault)
        .expect("opened")
        .init("inkvault", &InitOptions::default());
    made.expect("a vault");
    outer.put("full/file", "somebody's");
    outer.put("file", "somebody's");
    let failures = [
        &["notes", "notes", "--to", "dsh-memory"][..],
        &["notes", "notes/inside", "--to", "dsh-memory"],
        &["notes", ".", "--to", "dsh-memory"],
        &["notes", "full", "--to", "dsh-memory"],
        &["notes", "file", "--to", "dsh-memory"],
        &["notes", "file/below", "--to", "dsh-memory"],
        &["notes", "none/../new", "--to", "dsh-memory"],
        &["notes", "new", "--to", "inkvault"],
        &["--read-only", "notes", "new", "--to", "dsh-memory"],
        &["missing", "new", "--to", "dsh-memory"],
        &["full", "new", "--to", "dsh-memory"],
    ];
    let failures = failures.map(|arguments| failure(&outer, &[&["convert"], arguments].concat()));
    assert_snapshot!(failures.concat(), @r"
    2 inkvault: notes is in the vault or around it; name a directory beside /notes/notes
    2 inkvault: notes/inside is in the vault or around it; name a directory beside /notes/notes
    2 inkvault: . is in the vault or around it; name a directory beside /notes/notes
    2 inkvault: full is not empty; name a directory that is not there yet, or an empty one
    2 inkvault: file is no directory; name one that is not there yet, or an empty one
    2 inkvault: file/below is no directory; name one that is not there yet, or an empty one
    2 inkvault: none/../new goes up from a directory that is not there; name it without `..`
    2 inkvault: the vault has the format `inkvault` already; copy its directory to have it twice
    2 inkvault: with --read-only no vault is made; see what would be done with --dry-run
    3 inkvault: there is no directory missing; make a vault with `inkvault init missing`
    3 inkvault: this directory is no vault: make it one with `init` first
    ");
    assert!(!outer.at("new").exists(), "nothing was made");
    let unknown = failure(&outer, &["convert", "notes", "new", "--to", "other"]);
    assert!(unknown.starts_with("2 error: "), "{unknown}");
    let known = "[possible values: dsh-memory, inkvault, simple]";
    assert!(unknown.contains(known), "{unknown}");
}

/// What the tables of conversions repeat of the engine's own.
#[test]
fn the_tables_say_what_the_formats_say() {
    for pair in &inkvault::convert::PAIRS {
        for shape in [pair.from, pair.to] {
            let known = FORMATS.iter().find(|format| format.name() == shape.name);
            agree(shape, *known.expect("a format"));
        }
    }
}

fn agree(shape: &Shape, format: &dyn Format) {
    let capabilities = format.capabilities();
    let (kinds, is_open) = match capabilities.kinds {
        Kinds::Closed(kinds) => (kinds, false),
        Kinds::Open(kinds) => (kinds, true),
    };
    assert_eq!(shape.kinds, kinds);
    assert_eq!(shape.file_names.is_some(), is_open);
    assert_eq!(
        shape.file_names.is_some(),
        capabilities.ids == Ids::Places,
        "{}",
        shape.name
    );
    let statuses = capabilities.statuses.iter().map(|status| status.name());
    let written = shape.statuses.iter().map(|status| status.name());
    assert!(written.eq(statuses), "statuses of {}", shape.name);
    assert_eq!(shape.title_limit, capabilities.title_limit);
    assert_eq!(shape.tag_limit, capabilities.tag_limit);
    let limit = match capabilities.body_limit {
        BodyLimit::Characters(most) => conversion::BodyLimit::Characters(most),
        BodyLimit::Bytes(most) => conversion::BodyLimit::Bytes(most),
    };
    assert_eq!(shape.body_limit, limit, "the text of {}", shape.name);
    assert_eq!(shape.default_confidence, capabilities.default_confidence);
    assert_eq!(shape.least_confidence, capabilities.least_confidence);
    assert_eq!(shape.pinned_is_directive, capabilities.pinned_is_directive);
    assert_eq!(shape.lacks, lacking(&capabilities.holds), "{}", shape.name);
    let pool = format.pool().map(|pool| pool.file().to_string());
    assert_eq!(shape.pool.as_ref().map(|pool| pool.file), pool.as_deref());
    assert_eq!(shape.keeps_times, keeps_times(format), "{}", shape.name);
}

/// What names of files can be made of, and the directories they lie in.
#[test]
fn the_tables_say_what_notes_are_called_and_where_they_lie() {
    let shape = Pair::named("inkvault", "simple").expect("a pair").to;
    let names = shape.file_names.as_ref().expect("names of files");
    let note = |category: usize, topic: usize| guest::Metadata {
        title: "x".repeat(topic),
        ..guest::Metadata::blank(&"x".repeat(category), Timestamp::default())
    };
    let FileNames {
        category, topic, ..
    } = *names;
    assert!(Simple.check_name(&note(category, topic)).is_ok());
    assert!(Simple.check_name(&note(category + 1, topic)).is_err());
    assert!(Simple.check_name(&note(category, topic + 1)).is_err());
    let home = |project: Option<&str>, status| {
        let note = guest::Metadata {
            scope: project.map(str::to_owned),
            status,
            ..note(1, 1)
        };
        Simple.place(&note, None).parent().to_string()
    };
    let FileNames {
        common,
        projects,
        archive,
        ..
    } = names;
    assert_eq!(home(None, Status::Active), *common);
    assert_eq!(home(None, Status::Archived), *archive);
    assert_eq!(home(Some("app"), Status::Active), format!("{projects}/app"));
    let archived = home(Some("app"), Status::Archived);
    assert_eq!(archived, format!("{archive}/{projects}/app"));
    let cold = Simple.places().iter();
    let cold = cold.filter(|place| place.area == Area::Cold && place.directory != *archive);
    assert!(cold.map(|place| place.directory).eq(shape.searched_only));
}

/// What a format does not hold, of all that can be told to be lost.
fn lacking(holds: &Holds) -> Vec<Field> {
    let Holds {
        tags,
        aliases,
        confidence,
        importance,
        pinned,
        delivery,
        source,
        origin,
        evidence,
        relations,
        converted_from,
        scope,
    } = *holds;
    let all = [
        (Field::Tags, tags),
        (Field::Aliases, aliases),
        (Field::Confidence, confidence),
        (Field::Importance, importance),
        (Field::Pinned, pinned),
        (Field::Delivery, delivery),
        (Field::Source, source),
        (Field::Origin, origin),
        (Field::Evidence, evidence),
        (Field::Supersedes, relations),
        (Field::SupersededBy, relations),
        (Field::ConflictsWith, relations),
        (Field::ConvertedFrom, converted_from),
        (Field::Scope, scope),
    ];
    let lacking = all.into_iter().filter(|(_, held)| !held);
    lacking.map(|(field, _)| field).collect()
}

/// Whether a file says when its memory was made and changed.
fn keeps_times(format: &dyn Format) -> bool {
    let moment = |text| Timestamp::parse(text).expect("a time");
    let (Kinds::Closed(kinds) | Kinds::Open(kinds)) = format.capabilities().kinds;
    let written = guest::Metadata {
        id: format.new_id(moment("2026-10-17T07:59:57.013Z"), "seed"),
        title: "title".to_owned(),
        updated: moment("2026-10-18T07:59:57.013Z"),
        ..guest::Metadata::blank(kinds[0], moment("2026-10-17T07:59:57.013Z"))
    };
    let file = format.create(&written, "text", 0);
    let path = format.place(&written, None);
    match format.parse(&path, &file, moment("2026-10-19T07:59:57.013Z")) {
        Parsed::Memory(read) => {
            (read.metadata.created, read.metadata.updated) == (written.created, written.updated)
        }
        other => panic!("{other:?}"),
    }
}

/// A vault as it may have grown in another program.
fn grown() -> Folder {
    let many: Vec<_> = (1..=14).map(|n| format!("t{n}")).collect();
    dsh_vault(&[
        (
            "Projects/State/a.md",
            dsh_file(
                "mem_1",
                "type: project-state\nstatus: stale\nconfidence: high\nrating: 5",
                "Where it stands",
                "Half done.",
            ),
        ),
        (
            "Profile/b.md",
            dsh_file(
                "mem_2",
                "type: profile\nstatus: active\nconfidence: low\npinned: true\ntags:\n  - profile",
                "我是谁",
                "住在杭州。",
            ),
        ),
        (
            "Conflicts/c.md",
            dsh_file(
                "mem_3",
                "type: decision\nstatus: conflict\nconflicts_with:\n  - mem_4",
                "On Tuesdays",
                "We release on Tuesdays.",
            ),
        ),
        (
            "Conflicts/d.md",
            dsh_file(
                "mem_4",
                "type: decision\nstatus: conflict\nconflicts_with:\n  - mem_3",
                "On Fridays",
                "See [[On Tuesdays]] and [[mem_3]].",
            ),
        ),
        (
            "Experiences/e.md",
            dsh_file(
                "mem_5",
                &format!(
                    "type: experience\nstatus: active\nconfidence: high\ntags: [{}]",
                    many.join(", ")
                ),
                &"长".repeat(150),
                "text",
            ),
        ),
        (
            "Knowledge/f.md",
            dsh_file(
                "mem_6",
                "type: knowledge\nstatus: active\nconfidence: high\nsupersedes:\n  - mem_7",
                "Long",
                &"字".repeat(20_001),
            ),
        ),
        (
            "Archive/g.md",
            dsh_file(
                "mem_7",
                "type: knowledge\nstatus: superseded\nconfidence: high\nsuperseded_by: mem_6\nevidence: said so",
                "Old",
                "text",
            ),
        ),
        ("Tasks/h.md", "---\ntitle: no id\n---\n\ntext".to_owned()),
        ("Tasks/i.md", "a note of somebody's".to_owned()),
    ])
}

#[test]
fn what_does_not_fit_is_told_and_nothing_is_cut_silently() {
    let folder = grown();
    let before = folder.files();
    let target = Folder::empty();
    let into = target.path().display().to_string();
    let output = run(&folder, &["convert", ".", &into, "--to", "inkvault"]);
    assert_eq!(output.status.code(), Some(1), "something was left out");
    assert_eq!(folder.files(), before, "only read");
    let shown = String::from_utf8(output.stdout)
        .expect("text")
        .replace(&into, "/new");
    let shown = inkvault_tests::shown::settled(&folder, &shown);
    assert_snapshot!(shown, @r"
    converted   6 of 7 memories
    from        /notes (dsh-memory)
    to          /new (inkvault)
    left alone  1 file without frontmatter

    The same in other terms
    1  kind        experience becomes reference                                      mem_5
    1  kind        knowledge becomes fact                                            mem_7
    1  kind        profile becomes fact                                              mem_2
    1  kind        project-state becomes project                                     mem_1
    1  status      stale becomes archived                                            mem_1
    6  text        the headings of dsh-memory are taken off                          mem_1, mem_2, mem_3, …
    6  tags        the tag of the kind is left out: the kind says it                 mem_1, mem_2, mem_3, …
    1  confidence  too unsure to be recalled in dsh-memory, sure enough in inkvault  mem_2
    1  pinned      no longer a standing directive in inkvault                        mem_2

    Kept in added keys
    6  aliases           mem_1, mem_2, mem_3, …
    1  pinned            mem_2
    1  evidence          mem_7
    1  superseded-by     mem_7
    2  conflicts-with    mem_3, mem_4
    6  converted-from    mem_1, mem_2, mem_3, …

    Not carried over
    1  title       cut to 120 characters; the whole one stays as an alias  mem_5
    1  tags        those beyond the first 12                               mem_5
    1  references  to a memory that was not carried over                   mem_7
    1  other-keys  rating                                                  mem_1

    Left out
      Tasks/h.md: its frontmatter has no `id`: give it one like `mem_20261017t075957_b1c8069b`
      mem_6, Knowledge/f.md: its text has 20001 characters, 20000 fit into one memory: split it
    ");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_snapshot!(said, @"inkvault: 2 memories were left out; mend what is named above, and convert again into another directory");
}

#[test]
fn old_ids_lead_to_the_new_memories() {
    let (target, report) = converted(&grown(), "inkvault");
    let new: BTreeMap<_, _> = report.ids.into_iter().map(|id| (id.old, id.new)).collect();
    let shown = |id: &str| json(&target, &["show", id])["metadata"].clone();
    assert_eq!(shown("mem_1")["id"], new["mem_1"].as_str());
    assert_eq!(shown("mem_1")["status"], "archived");
    assert_eq!(
        shown("mem_1")["converted_from"],
        "dsh-memory project-state stale mem_1"
    );
    assert_eq!(shown("mem_1")["updated"], "2026-10-18T07:59:57.013Z");
    assert_eq!(shown("mem_3")["status"], "conflict");
    assert_eq!(shown("mem_3")["conflicts_with"][0], new["mem_4"].as_str());
    assert_eq!(
        shown("mem_3")["updated"],
        "2026-10-18T07:59:57.013Z",
        "in the second pass, too"
    );
    assert_eq!(shown("mem_7")["superseded_by"], "mem_6", "it was left out");
    assert_eq!(json(&target, &["show", "mem_2"])["body"], "住在杭州。");
    let links = json(&target, &["links", "mem_4"]);
    let linked = links
        .as_array()
        .expect("links")
        .iter()
        .filter(|link| link["target"] == new["mem_3"].as_str());
    assert_eq!(linked.count(), 2, "{links}");
    let whole = "长".repeat(150);
    assert_eq!(
        shown("mem_5")["aliases"],
        serde_json::json!(["mem_5", whole])
    );
}

#[test]
fn what_the_other_format_lacked_is_there_again_after_the_way_back() {
    let (there, _) = converted(&grown(), "inkvault");
    let (back, report) = converted(&there, "dsh-memory");
    let shown = |id: &str| json(&back, &["show", id])["metadata"].clone();
    let stands = |id: &str| (shown(id)["kind"].clone(), shown(id)["status"].clone());
    assert_eq!(stands("mem_1"), ("project-state".into(), "stale".into()));
    assert_eq!(stands("mem_2"), ("profile".into(), "active".into()));
    assert_eq!(stands("mem_3"), ("decision".into(), "conflict".into()));
    assert_eq!(stands("mem_7"), ("knowledge".into(), "superseded".into()));
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    assert!(printed(&back, &["verify"]).contains("checked"));
}

#[test]
fn what_was_written_stays_where_a_conversion_stops() {
    let source = Folder::filled(10);
    let target = Folder::empty();
    let (mut from, mut to) = (source.open(), target.open());
    let pair = pair(&mut from, "dsh-memory");
    let private = target.at(".dsh-memory");
    let stopped = convert(&mut from, pair, Some(&mut to), 0, &mut |done, _| {
        if done == 4 {
            fs::remove_dir_all(&private).expect("pulled away");
            fs::write(&private, "no directory").expect("put in its place");
        }
    });
    let stopped = stopped.expect_err("it cannot go on");
    assert_eq!(stopped.report.ids.len(), 4);
    let written = fs::read_dir(target.at("Knowledge")).expect("the memories");
    assert_eq!(written.count(), 4);
}

/// A dry run foresees what is then done.
#[test]
fn a_dry_run_foresees_the_report() {
    let folder = grown();
    let mut from = folder.open();
    let pair = pair(&mut from, "inkvault");
    let dry = convert(&mut from, pair, None, 0, &mut |_, _| ()).expect("a report");
    let (_, done) = converted(&folder, "inkvault");
    assert_eq!(
        dry,
        Report {
            ids: Vec::new(),
            ..done
        }
    );
}

const MEMORIES: usize = 500;

fn with_various() -> Folder {
    let folder = Folder::vault();
    for n in 0..MEMORIES {
        let (metadata, body) = various(n);
        let file = Inkvault.create(&metadata, &body, 0);
        folder.put(&format!("memory/{}.md", metadata.id), file);
    }
    folder
}

#[test]
fn five_hundred_memories_come_back_as_they_were() {
    let folder = with_various();
    let (there, out) = converted(&folder, "dsh-memory");
    let (back, home) = converted(&there, "inkvault");
    for report in [&out, &home] {
        assert_eq!(report.converted as usize, MEMORIES);
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    }
    assert_eq!(told(&out.lost), [format!("source capture: {MEMORIES}")]);
    assert_eq!(told(&home.lost), [""; 0]);

    let (mut before, mut after) = (folder.open(), back.open());
    let names = Journey::of(&out, &home);
    for n in 0..MEMORIES {
        let id = note::id(n);
        let was = before.get(&id).expect("a memory");
        let is = after.get(&id).expect("found by its first id");
        assert_eq!(is.metadata.id, names.end(&id));
        assert_eq!(is.body, was.body, "{id}");
        assert_eq!(carried(&is.metadata), names.followed(was.metadata), "{id}");
    }
    let faults = after.verify(false).expect("verified").faults;
    let grave =
        |fault: &&inkvault::upkeep::Fault| fault.severity == inkvault::upkeep::Severity::Error;
    assert_eq!(faults.iter().filter(grave).count(), 0, "{faults:?}");
}

/// The ids of memories on their way there and back.
struct Journey {
    out: BTreeMap<String, String>,
    home: BTreeMap<String, String>,
}

impl Journey {
    fn of(out: &Report, home: &Report) -> Self {
        let ids = |report: &Report| {
            let ids = report.ids.iter().map(|id| (id.old.clone(), id.new.clone()));
            ids.collect()
        };
        Self {
            out: ids(out),
            home: ids(home),
        }
    }

    /// The last id of a memory; of none, the name itself.
    fn end(&self, id: &str) -> String {
        let last = self.out.get(id).and_then(|there| self.home.get(there));
        last.map_or(id, String::as_str).to_owned()
    }

    /// What a memory is expected to be in the end.
    fn followed(&self, mut memory: Metadata) -> Metadata {
        let there = self.out[&memory.id].clone();
        let all = |ids: &[String]| ids.iter().map(|id| self.end(id)).collect();
        memory.aliases = all(&memory.aliases);
        memory.aliases.extend([memory.id.clone(), there]);
        memory.supersedes = all(&memory.supersedes);
        memory.conflicts_with = all(&memory.conflicts_with);
        memory.superseded_by = self.end(&memory.superseded_by);
        memory.id = self.end(&memory.id);
        memory.source = Source::Imported;
        carried(&memory)
    }
}

/// A memory without what follows from its file, and with its original left
/// out, which names a kind of the format between.
fn carried(memory: &Metadata) -> Metadata {
    Metadata {
        path: String::new(),
        revision: String::new(),
        hash: String::new(),
        bytes: 0,
        converted_from: String::new(),
        repairs: Vec::new(),
        ..memory.clone()
    }
}

/// Both hold the same statuses by the same names.
#[test]
fn the_words_of_the_two_crates_are_the_same() {
    let host = types::Status::ALL.iter().map(|status| status.name());
    assert!(host.eq(Status::ALL.map(Status::name)));
}
