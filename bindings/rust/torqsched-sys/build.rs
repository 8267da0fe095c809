//! Finds libtorqsched and tells Cargo how to link it; ../README.md lists the variables.
//!
//! The directory of the library is, the first that is known: `TORQSCHED_LIB_DIR`, what pkg-config
//! says of `torqsched`, or whatever the linker searches by itself.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

fn main() {
    for variable in [
        "TORQSCHED_LIB_DIR",
        "TORQSCHED_LINK",
        "PKG_CONFIG",
        "PKG_CONFIG_PATH",
        "PKG_CONFIG_LIBDIR",
        "PKG_CONFIG_SYSROOT_DIR",
    ] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");

    let dynamic = links_dynamically();
    let file = if dynamic {
        // By its soname: a distribution has no libtorqsched.so, so that -ltorqsched is the archive.
        let (major, minor) = (
            variable("CARGO_PKG_VERSION_MAJOR"),
            variable("CARGO_PKG_VERSION_MINOR"),
        );
        format!("libtorqsched.so.{major}.{minor}")
    } else {
        "libtorqsched.a".to_owned()
    };
    let directory = directory_of(&file);
    if let Some(directory) = &directory {
        rerun_if_changed(&directory.join(&file));
        // Build scripts of packages that depend on this one see it as DEP_TORQSCHED_LIBDIR.
        println!("cargo:libdir={}", directory.display());
    } else {
        println!(
            "cargo:warning=neither TORQSCHED_LIB_DIR (the absolute path of a directory with {file}) \
             nor pkg-config (PKG_CONFIG_PATH=PREFIX/lib/pkgconfig) says where libtorqsched is: left \
             to the linker"
        );
    }

    if dynamic {
        if let Some(directory) = &directory {
            link_by_soname(&directory.join(&file));
        }
        // The shared object names the libraries that it needs by itself.
        println!("cargo:rustc-link-lib=dylib=torqsched");
        return;
    }
    if let Some(directory) = &directory {
        println!("cargo:rustc-link-search=native={}", directory.display());
        println!("cargo:rustc-link-lib=static=torqsched");
    } else {
        // rustc itself opens an archive that it is to bundle, and does not know where the linker
        // would look for it; left out of the bundle, it is the linker that finds it.
        println!("cargo:rustc-link-lib=static:-bundle=torqsched");
    }
    // What the archive needs comes after it: linkers resolve from left to right.
    for library in ["stdc++", "m", "pthread"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

/// Cargo goes by dates, and a distribution's files have all the same one, of 1970, unless `tar -m`
/// unpacked them: then no date says that the library is another one. So this script is run for
/// every build where it finds such a date, which a file that is never there makes Cargo do.
fn rerun_if_changed(library: &Path) {
    println!("cargo:rerun-if-changed={}", library.display());
    let dated = fs::metadata(library).and_then(|metadata| metadata.modified());
    let age = dated.map(|date| date.duration_since(UNIX_EPOCH).unwrap_or_default());
    if age.unwrap_or_default() < YEAR {
        println!("cargo:rerun-if-changed={}.is-not-dated", library.display());
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"))
}

/// Lets the linker find a shared object as libtorqsched.so, in a directory without the archive,
/// which the linker would prefer; and lets programs that Cargo runs find it by its soname, for
/// Cargo shows them what lies in the directory of a build script.
fn link_by_soname(object: &Path) {
    let directory = PathBuf::from(variable("OUT_DIR"));
    for name in [
        OsStr::new("libtorqsched.so"),
        object.file_name().unwrap_or_default(),
    ] {
        let link = directory.join(name);
        let _ = fs::remove_file(&link); // of an earlier run
        symlink(object, &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
    }
    println!("cargo:rustc-link-search=native={}", directory.display());
}

fn links_dynamically() -> bool {
    match env::var("TORQSCHED_LINK").as_deref() {
        Err(env::VarError::NotPresent) | Ok("static") => false,
        Ok("dynamic") => true,
        other => panic!("TORQSCHED_LINK is {other:?}; expected static or dynamic"),
    }
}

fn directory_of(file: &str) -> Option<PathBuf> {
    if let Some(directory) = env::var_os("TORQSCHED_LIB_DIR") {
        let directory = PathBuf::from(directory);
        // Said here, where the variable can be named, and not by the linker.
        assert!(
            directory.is_absolute() && directory.join(file).is_file(),
            "TORQSCHED_LIB_DIR is '{}'; expected an absolute path of a directory with {file}",
            directory.display()
        );
        return Some(directory);
    }
    ask_pkg_config().filter(|directory| directory.join(file).is_file())
}

/// The library's directory as pkg-config has it; `None` where there is no pkg-config or it does
/// not know the library.
fn ask_pkg_config() -> Option<PathBuf> {
    let program = env::var_os("PKG_CONFIG");
    // The host's own pkg-config knows nothing of another target's libraries.
    if program.is_none() && env::var_os("HOST") != env::var_os("TARGET") {
        return None;
    }
    let output = Command::new(program.unwrap_or_else(|| "pkg-config".into()))
        .args(["--variable=libdir", "torqsched"])
        .output()
        .ok()?;
    let directory = String::from_utf8(output.stdout).ok()?;
    let directory = directory.trim();
    if !output.status.success() || directory.is_empty() {
        return None;
    }
    Some(Path::new(directory).to_path_buf())
}
