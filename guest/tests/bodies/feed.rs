//! The feed: what a reader hears is what follows on what it knew.

use std::time::Duration;

use inkvault_guest::change::feed::{Announcement, Cursor, FileChange, News};
use inkvault_guest::environment::{Faulty, Machine, VaultPath};

const FEED: &str = ".inkvault/feed.jsonl";

/// The one place that knows what a line consists of.
fn announcement(seq: u64) -> Announcement {
    Announcement {
        seq,
        op: "update".into(),
        id: "m-20260101-aaaaaa".into(),
        files: vec![FileChange {
            path: "memory/a.md".into(),
            after: "0123456789abcdef".into(),
            ..FileChange::default()
        }],
        dirs: vec![("memory".into(), seq, seq + 1)],
    }
}

/// Feeds: a whole one, one that was cut, one with a gap and half a line.
#[allow(dead_code, reason = "a fuzz target finds its own")]
pub(crate) fn good() -> Vec<Vec<u8>> {
    let lines = |positions: &[u64]| -> Vec<u8> {
        let line = |seq: &u64| serde_json::to_string(&announcement(*seq)).expect("JSON") + "\n";
        positions.iter().map(line).collect::<String>().into()
    };
    let torn = [lines(&[1, 2, 4]), lines(&[5])[..20].to_vec()].concat();
    vec![lines(&[1, 2, 3, 4, 5]), lines(&[7, 8, 9]), torn]
}

/// A reader of a growing file of any bytes hears changes only as they follow,
/// one by one, on its position, which then never goes back; otherwise it says
/// that it does not know. Asked again, it has heard everything. And who reads
/// all at once hears what another heard bit by bit.
pub(crate) fn feed(bytes: &[u8]) {
    let machine = Machine::new();
    let process = machine.process();
    let mut reader = Cursor::default();
    let mut heard = Some(Vec::new());
    for part in 0..=3 {
        let end = bytes.len() * part / 3;
        machine.put(FEED, &bytes[..end]);
        machine.advance(Duration::from_secs(1));
        match listen(&mut reader, &process, end as u64) {
            News::Changes(news) => heard
                .iter_mut()
                .for_each(|heard| heard.extend(news.clone())),
            News::Unknown => heard = None,
        }
    }
    let at_once = listen(&mut Cursor::default(), &process, bytes.len() as u64);
    if let (Some(heard), News::Changes(at_once)) = (heard, at_once) {
        assert_eq!(heard, at_once);
    }
}

fn listen(reader: &mut Cursor, process: &Faulty, size: u64) -> News {
    let path = VaultPath::parse(FEED).expect("a path");
    let before = reader.position();
    let news = reader.poll(process, &path).expect("a feed");
    if let News::Changes(changes) = &news {
        let positions: Vec<_> = changes.iter().map(|change| change.seq).collect();
        let following: Vec<_> = (before + 1..).take(positions.len()).collect();
        assert_eq!(positions, following);
        assert_eq!(
            reader.position(),
            positions.last().copied().unwrap_or(before)
        );
    }
    assert!(reader.offset() <= size);
    let position = reader.position();
    let again = reader.poll(process, &path).expect("a feed");
    assert_eq!(
        (again, reader.position()),
        (News::Changes(Vec::new()), position)
    );
    news
}
