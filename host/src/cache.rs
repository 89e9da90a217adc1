//! Compiled code on disk, so that a program starts in milliseconds.
//!
//! Loading compiled code runs whatever is in the file. So it is loaded only
//! from a folder that belongs to the user and that nobody else can write or
//! replace, and every doubt ends in compiling anew. Nothing here knows what the
//! code does.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy as _;
use wasmtime::Engine;
use wasmtime::component::Component;

/// Names the folder to use in place of the one in the user's cache folder;
/// empty: none at all.
const OVERRIDE: &str = "INKVAULT_CACHE_DIR";

/// How many compiled components are kept: each build of the engine adds one.
const KEPT: usize = 8;

const EXTENSION: &str = "cwasm";

/// A folder of compiled components.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The user's own cache, made when it is missing; `None` where there is
    /// no folder that can be trusted.
    pub(crate) fn of_user() -> Option<Self> {
        let folder = match std::env::var_os(OVERRIDE) {
            Some(folder) if folder.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None => etcetera::choose_base_strategy()
                .ok()?
                .cache_dir()
                .join("inkvault"),
        };
        Self::in_folder(&folder)
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        make_private(folder).ok()?;
        let folder = folder.canonicalize().ok()?;
        trust::folder(&folder).then_some(Self { folder })
    }

    /// Loads the code kept under `name`; `None` where there is none, it is of
    /// another build of wasmtime, or somebody else could have written it.
    pub(crate) fn load(&self, engine: &Engine, name: &str) -> Option<Component> {
        let file = trust::open(&self.path(name)).ok()?;
        deserialize(engine, file)
    }

    /// Keeps the code of `component` under `name`, whole or not at all.
    pub(crate) fn store(&self, name: &str, component: &Component) -> io::Result<()> {
        let code = component.serialize().map_err(io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&code)?;
        file.as_file().sync_all()?;
        file.persist(self.path(name))?;
        self.prune()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension(EXTENSION)
    }

    /// Removes all but the newest few.
    fn prune(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|found| found == EXTENSION) {
                kept.push((modified(&path), path));
            }
        }
        kept.sort();
        let surplus = kept.len().saturating_sub(KEPT);
        for (_, path) in kept.into_iter().take(surplus) {
            fs::remove_file(path)?;
        }
        Ok(())
    }
}

fn modified(path: &Path) -> SystemTime {
    let time = fs::metadata(path).and_then(|metadata| metadata.modified());
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

#[expect(
    unsafe_code,
    reason = "compiled code cannot be proved harmless; `trust` made sure that \
              only this user can have written it, and wasmtime checks that it \
              was written by the same build with the same settings"
)]
fn deserialize(engine: &Engine, mut file: File) -> Option<Component> {
    let mut code = Vec::new();
    file.read_to_end(&mut code).ok()?;
    // SAFETY: the bytes are what `Cache::store` made with
    // `Component::serialize`: `trust::open` vouches that nobody but this user
    // can write the file they were read from, which lies in a folder that
    // nobody else can write or replace. They are loaded from memory, where no
    // later write to the file reaches them.
    unsafe { Component::deserialize(engine, code) }.ok()
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Who could have written a file.
#[cfg(unix)]
mod trust {
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::io;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
    use std::path::Path;

    use rustix::fs::OFlags;

    const WRITABLE_BY_GROUP_OR_OTHERS: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    const ROOT: u32 = 0;

    /// Whether the folder is the user's own, nobody else can write it, and
    /// no stranger can put another one in its place. The path is canonical.
    pub(super) fn folder(path: &Path) -> bool {
        let own = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && private(&found));
        own && path.ancestors().skip(1).all(holds_its_entries)
    }

    /// Opens the file if it is a plain one, the user's own, and nobody else
    /// can write it. Asked is the open file itself, whatever is at the path by
    /// then; a link is not followed, and a pipe is not waited for.
    pub(super) fn open(path: &Path) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)?;
        let found = file.metadata()?;
        if found.is_file() && private(&found) {
            Ok(file)
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    fn private(found: &Metadata) -> bool {
        found.uid() == user() && found.mode() & WRITABLE_BY_GROUP_OR_OTHERS == 0
    }

    /// Whether only this user and root can move what lies in the folder: it
    /// is theirs, and where others can write, it is sticky.
    fn holds_its_entries(path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|found| {
            let trusted = [ROOT, user()].contains(&found.uid());
            let open = found.mode() & WRITABLE_BY_GROUP_OR_OTHERS != 0;
            trusted && (!open || found.mode() & STICKY != 0)
        })
    }

    fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }
}

/// Who could have written a file: elsewhere the user's profile is closed to
/// others by the system.
#[cfg(not(unix))]
mod trust {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn folder(path: &Path) -> bool {
        path.is_dir()
    }

    pub(super) fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn empty_component(engine: &Engine) -> Component {
        Component::new(engine, EMPTY_COMPONENT).unwrap()
    }

    /// The component `(component)`: magic, version 13, layer 1.
    const EMPTY_COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_missing_folder_is_made_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/inkvault");
        assert!(Cache::in_folder(&folder).is_some());
        let made = fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(made & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for open in [0o770, 0o707, 0o722] {
            mode(dir.path(), open);
            assert!(Cache::in_folder(dir.path()).is_none(), "{open:o}");
        }
        mode(dir.path(), 0o755);
        assert!(Cache::in_folder(dir.path()).is_some());
    }

    #[test]
    fn a_folder_that_others_could_replace_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("inkvault");
        fs::create_dir(&folder).unwrap();
        mode(&folder, 0o700);
        for (open, refused) in [
            (0o777, true),
            (0o770, true),
            (0o1777, false),
            (0o1770, false),
            (0o755, false),
        ] {
            mode(dir.path(), open);
            assert_eq!(Cache::in_folder(&folder).is_none(), refused, "{open:o}");
        }
    }

    /// Only root can give a folder away; for others there is nothing to see.
    #[test]
    fn a_folder_in_a_stranger_s_is_refused() {
        const STRANGER: u32 = 12_345;
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("inkvault");
        assert!(Cache::in_folder(&folder).is_some());
        for open in [0o755, 0o1777] {
            mode(dir.path(), open);
            chown(dir.path(), Some(STRANGER), None).unwrap();
            assert!(Cache::in_folder(&folder).is_none(), "{open:o}");
            chown(dir.path(), Some(0), None).unwrap();
            assert!(Cache::in_folder(&folder).is_some(), "{open:o}");
        }
        let cache = Cache::in_folder(&folder).unwrap();
        let engine = Engine::default();
        cache.store("empty", &empty_component(&engine)).unwrap();
        chown(cache.path("empty"), Some(STRANGER), None).unwrap();
        assert!(cache.load(&engine, "empty").is_none());
    }

    #[test]
    fn a_file_is_no_folder() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Cache::in_folder(file.path()).is_none());
    }

    #[test]
    fn what_was_kept_is_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(dir.path()).unwrap();
        let engine = Engine::default();
        cache.store("empty", &empty_component(&engine)).unwrap();
        assert!(cache.load(&engine, "empty").is_some());
        assert!(cache.load(&engine, "other").is_none());
    }

    #[test]
    fn damaged_foreign_or_linked_code_is_not_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(dir.path()).unwrap();
        let engine = Engine::default();
        cache.store("good", &empty_component(&engine)).unwrap();

        fs::write(cache.path("damaged"), b"no code").unwrap();
        mode(&cache.path("damaged"), 0o600);
        assert!(cache.load(&engine, "damaged").is_none());

        fs::copy(cache.path("good"), cache.path("shared")).unwrap();
        mode(&cache.path("shared"), 0o666);
        assert!(cache.load(&engine, "shared").is_none());

        symlink(cache.path("good"), cache.path("linked")).unwrap();
        assert!(cache.load(&engine, "linked").is_none());
    }

    #[test]
    fn code_for_other_settings_is_not_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(dir.path()).unwrap();
        cache
            .store("empty", &empty_component(&Engine::default()))
            .unwrap();
        let metered = Engine::new(wasmtime::Config::new().consume_fuel(true)).unwrap();
        assert!(cache.load(&metered, "empty").is_none());
    }

    #[test]
    fn old_code_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(dir.path()).unwrap();
        let component = empty_component(&Engine::default());
        for number in 0..KEPT + 3 {
            cache.store(&number.to_string(), &component).unwrap();
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), KEPT);
    }
}
