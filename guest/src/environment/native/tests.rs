use std::fs;

use tempfile::TempDir;

use super::super::faulty::behaviour;
use super::super::{append_line, read_file, sync_directory, write_new};
use super::*;

fn vault() -> (TempDir, Native) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let native = Native::open(directory.path()).expect("a vault");
    (directory, native)
}

fn kind<T>(answer: IoResult<T>) -> IoErrorKind {
    answer.map(drop).expect_err("a failure").kind
}

#[test]
fn behaves_as_every_environment() {
    for (name, check) in behaviour::CHECKS {
        println!("{name}");
        check(&vault().1);
    }
}

#[test]
fn a_read_only_vault_changes_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("a.md"), "text").expect("written");
    fs::create_dir(directory.path().join("memory")).expect("made");
    let native = Native::open_read_only(directory.path()).expect("a vault");
    behaviour::check_read_only(&native);
}

#[test]
fn a_vault_must_exist() {
    let (directory, _) = vault();
    fs::write(directory.path().join("file"), "").expect("written");
    for path in ["gone", "file"] {
        assert!(
            Native::open(&directory.path().join(path)).is_err(),
            "{path}"
        );
    }
}

#[test]
fn a_vault_may_be_moved_while_it_is_open() {
    let (directory, _) = vault();
    fs::create_dir(directory.path().join("old")).expect("made");
    let native = Native::open(&directory.path().join("old")).expect("a vault");
    fs::rename(directory.path().join("old"), directory.path().join("new")).expect("moved");
    write_new(&native, &VaultPath::root().join("a.md"), b"text").expect("written");
    assert!(directory.path().join("new/a.md").exists());
}

#[test]
fn system_errors_have_their_kind() {
    for (system, expected) in [
        (ErrorKind::CrossesDevices, IoErrorKind::CrossDevice),
        (ErrorKind::StorageFull, IoErrorKind::NoSpace),
        (ErrorKind::QuotaExceeded, IoErrorKind::NoSpace),
        (ErrorKind::ReadOnlyFilesystem, IoErrorKind::ReadOnly),
        (ErrorKind::PermissionDenied, IoErrorKind::NotPermitted),
        (ErrorKind::Interrupted, IoErrorKind::Failed),
    ] {
        assert_eq!(error_kind(&system.into()), expected);
    }
}

/// Attacks: a directory with a secret beside the vault, and ways to get there.
#[cfg(unix)]
mod sandbox {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    const SECRET: &str = "the secret";

    struct Scene {
        outside: PathBuf,
        vault: PathBuf,
        native: Native,
        _directory: TempDir,
    }

    fn scene() -> Scene {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (outside, vault) = (
            directory.path().join("outside"),
            directory.path().join("vault"),
        );
        fs::create_dir_all(outside.join("inner")).expect("made");
        fs::create_dir(&vault).expect("made");
        fs::write(outside.join("secret"), SECRET).expect("written");
        fs::write(vault.join("own.md"), "own").expect("written");
        let native = Native::open(&vault).expect("a vault");
        Scene {
            outside,
            vault,
            native,
            _directory: directory,
        }
    }

    /// Nothing is read through a path that leads to the directory outside.
    fn refuses_directory(scene: &Scene, directory: &VaultPath) {
        let native = &scene.native;
        let (secret, new) = (directory.join("secret"), directory.join("new"));
        let own = VaultPath::root().join("own.md");
        for answer in [
            native.list(directory).map(drop),
            native.stat(directory).map(drop),
            native.open(directory, Open::Read).map(drop),
            native.stat(&secret).map(drop),
            native.open(&secret, Open::Read).map(drop),
            native.open(&secret, Open::Append).map(drop),
            native.open(&new, Open::CreateNew).map(drop),
            native.create_directory(&new),
            native.rename(&secret, &VaultPath::root().join("stolen")),
            native.rename(&own, &secret),
            native.rename(&own, &new),
            native.link(&secret, &VaultPath::root().join("stolen")),
            native.link(&own, &new),
            native.unlink(&secret),
            native.remove_directory(&directory.join("inner")),
        ] {
            assert_eq!(kind(answer), IoErrorKind::NotPermitted, "{directory}");
        }
        assert_untouched(scene);
    }

    fn assert_untouched(scene: &Scene) {
        assert_eq!(
            fs::read_to_string(scene.outside.join("secret")).expect("read"),
            SECRET
        );
        assert_eq!(fs::read_dir(&scene.outside).expect("listed").count(), 2);
        assert_eq!(
            fs::read_to_string(scene.vault.join("own.md")).expect("read"),
            "own"
        );
        assert!(!scene.vault.join("stolen").exists());
    }

    #[test]
    fn paths_that_were_never_validated() {
        let scene = scene();
        let outside = scene.outside.to_str().expect("text").to_owned();
        for path in [
            "../outside",
            "memory/../../outside",
            "./../outside",
            &outside,
        ] {
            fs::create_dir_all(scene.vault.join("memory")).expect("made");
            refuses_directory(&scene, &VaultPath::root().join(path));
        }
    }

    #[test]
    fn links_to_a_directory() {
        let scene = scene();
        symlink(&scene.outside, scene.vault.join("absolute")).expect("linked");
        symlink("../outside", scene.vault.join("relative")).expect("linked");
        symlink("../outside/", scene.vault.join("slash")).expect("linked");
        symlink("relative", scene.vault.join("chain")).expect("linked");
        symlink("./relative/../../outside", scene.vault.join("winding")).expect("linked");
        for link in ["absolute", "relative", "slash", "chain", "winding"] {
            refuses_directory(&scene, &VaultPath::root().join(link));
        }
    }

    #[test]
    fn links_to_a_file() {
        let scene = scene();
        symlink(
            scene.outside.join("secret"),
            scene.vault.join("absolute.md"),
        )
        .expect("linked");
        symlink("../outside/secret", scene.vault.join("relative.md")).expect("linked");
        symlink("relative.md", scene.vault.join("chain.md")).expect("linked");
        symlink("../outside/new", scene.vault.join("dangling.md")).expect("linked");
        for link in ["absolute.md", "relative.md", "chain.md", "dangling.md"] {
            let path = VaultPath::root().join(link);
            assert_eq!(
                kind(scene.native.stat(&path)),
                IoErrorKind::NotPermitted,
                "{link}"
            );
            assert_eq!(
                kind(read_file(&scene.native, &path)),
                IoErrorKind::NotPermitted,
                "{link}"
            );
            assert_eq!(
                kind(append_line(&scene.native, &path, "x")),
                IoErrorKind::NotPermitted,
                "{link}"
            );
            assert!(write_new(&scene.native, &path, b"x").is_err(), "{link}");
        }
        assert_untouched(&scene);
    }

    #[test]
    fn the_process_root() {
        let scene = scene();
        symlink("/proc/self/root", scene.vault.join("root")).expect("linked");
        symlink("/proc/self/cwd", scene.vault.join("cwd")).expect("linked");
        for path in [
            "root",
            "root/etc/passwd",
            "cwd",
            "/proc/self/root/etc/passwd",
        ] {
            let path = VaultPath::root().join(path);
            assert_eq!(
                kind(scene.native.stat(&path)),
                IoErrorKind::NotPermitted,
                "{path}"
            );
            assert_eq!(
                kind(scene.native.open(&path, Open::Read)),
                IoErrorKind::NotPermitted,
                "{path}"
            );
        }
    }

    #[test]
    fn a_link_is_moved_and_removed_not_what_it_leads_to() {
        let scene = scene();
        symlink("../outside/secret", scene.vault.join("a.md")).expect("linked");
        let (from, to) = (
            VaultPath::root().join("a.md"),
            VaultPath::root().join("b.md"),
        );
        scene.native.rename(&from, &to).expect("renamed");
        scene.native.unlink(&to).expect("unlinked");
        assert_untouched(&scene);
    }

    #[test]
    fn links_inside_are_followed() {
        let scene = scene();
        fs::create_dir(scene.vault.join("memory")).expect("made");
        symlink("../own.md", scene.vault.join("memory/link.md")).expect("linked");
        symlink("memory", scene.vault.join("notes")).expect("linked");
        let path = VaultPath::root().join("notes/link.md");
        let (bytes, stat) = read_file(&scene.native, &path).expect("read");
        assert_eq!((bytes, stat.kind), (b"own".to_vec(), FileKind::File));
        let listed = scene
            .native
            .list(&VaultPath::root().join("notes"))
            .expect("a listing");
        assert_eq!(
            listed,
            [Entry {
                name: "link.md".to_owned(),
                kind: FileKind::Link
            }]
        );
        sync_directory(&scene.native, &VaultPath::root().join("notes")).expect("synced");
    }

    #[test]
    fn a_link_in_a_circle_is_a_failure() {
        let scene = scene();
        symlink("b.md", scene.vault.join("a.md")).expect("linked");
        symlink("a.md", scene.vault.join("b.md")).expect("linked");
        assert_eq!(
            kind(scene.native.stat(&VaultPath::root().join("a.md"))),
            IoErrorKind::Failed
        );
    }

    #[test]
    fn a_name_with_nul_is_refused() {
        let scene = scene();
        let path = VaultPath::root().join("a\0b");
        assert_eq!(
            kind(scene.native.open(&path, Open::CreateNew)),
            IoErrorKind::InvalidName
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn names_that_are_not_utf8_are_left_out() {
        let scene = scene();
        fs::write(scene.vault.join(OsStr::from_bytes(b"\xff.md")), "").expect("written");
        let listed = scene.native.list(&VaultPath::root()).expect("a listing");
        assert_eq!(
            listed,
            [Entry {
                name: "own.md".to_owned(),
                kind: FileKind::File
            }]
        );
    }
}
