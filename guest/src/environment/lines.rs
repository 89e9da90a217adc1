//! The lines of a file, the last one first.
//!
//! For files that are appended to for years and asked for what is new in
//! them. Nothing here knows what a line says.

use super::files::failure;
use super::{Environment, FileKind, IoErrorKind, IoResult, Open, OpenFile, READ_LIMIT, VaultPath};

/// The lines of a file from its end to its start, as bytes without `\n`.
///
/// It reads as far as it is asked: one call for each 64 KiB, or more where
/// the host gives less at once. It holds one such piece and one line. Empty
/// lines are none, and a line longer than allowed is passed over without
/// being held. What follows the last `\n` is a line too, though its writer
/// may not have finished it. After an error there are no more lines.
pub struct BackwardLines<'e> {
    file: Box<dyn OpenFile + 'e>,
    /// Longest line that is handed out, in bytes.
    longest: usize,
    /// Bytes of a piece.
    piece_size: u64,
    /// Where the piece begins: all before it is not read yet.
    unread: u64,
    /// What was read and not handed out.
    piece: Vec<u8>,
    /// The end of the line that begins in the piece or before it; none where
    /// that line is too long already.
    rest: Option<Vec<u8>>,
}

/// Opens a file to read its lines backwards, as it is now: what is appended
/// later is not seen. `longest` is the length in bytes up to which a line is
/// handed out.
///
/// Two calls (open, stat); see [`BackwardLines`] for the reading.
///
/// # Errors
/// [`IoErrorKind::NotFound`], [`IoErrorKind::IsDirectory`], or whatever else
/// the host answers.
pub fn lines_backwards<'e>(
    environment: &'e dyn Environment,
    path: &VaultPath,
    longest: usize,
) -> IoResult<BackwardLines<'e>> {
    let file = environment.open(path, Open::Read)?;
    let stat = file.stat()?;
    if stat.kind == FileKind::Directory {
        return Err(failure("read", path, IoErrorKind::IsDirectory));
    }
    Ok(BackwardLines {
        file,
        longest,
        piece_size: READ_LIMIT as u64,
        unread: stat.size,
        piece: Vec::new(),
        rest: Some(Vec::new()),
    })
}

impl Iterator for BackwardLines<'_> {
    type Item = IoResult<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let end = self.piece.iter().rposition(|byte| *byte == b'\n');
            let begun = match end {
                Some(end) => {
                    let begun = self.piece.split_off(end + 1);
                    self.piece.truncate(end);
                    begun
                }
                None if self.unread > 0 => match self.read_on() {
                    Ok(()) => continue,
                    Err(error) => {
                        self.give_up();
                        return Some(Err(error));
                    }
                },
                None if self.is_done() => return None,
                None => std::mem::take(&mut self.piece),
            };
            if let Some(line) = self.complete(begun) {
                return Some(Ok(line));
            }
        }
    }
}

impl BackwardLines<'_> {
    /// The line of that beginning, where it is one to hand out.
    fn complete(&mut self, mut begun: Vec<u8>) -> Option<Vec<u8>> {
        let rest = self.rest.replace(Vec::new())?;
        begun.extend_from_slice(&rest);
        (!begun.is_empty() && begun.len() <= self.longest).then_some(begun)
    }

    /// Reads the piece before the present one, which holds no line end.
    fn read_on(&mut self) -> IoResult<()> {
        let mut middle = std::mem::take(&mut self.piece);
        self.rest = self.rest.take().and_then(|rest| {
            middle.extend_from_slice(&rest);
            (middle.len() <= self.longest).then_some(middle)
        });
        let size = self.unread.min(self.piece_size);
        self.unread -= size;
        while (self.piece.len() as u64) < size {
            let read = self.piece.len() as u64;
            let part = self.file.read((size - read) as usize, self.unread + read)?;
            if part.is_empty() {
                // The file was cut meanwhile: what came after is no more.
                self.rest = Some(Vec::new());
                break;
            }
            self.piece.extend_from_slice(&part);
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.piece.is_empty() && self.rest.as_ref().is_some_and(Vec::is_empty)
    }

    fn give_up(&mut self) {
        self.unread = 0;
        self.piece.clear();
        self.rest = Some(Vec::new());
    }
}

#[cfg(test)]
mod tests;
