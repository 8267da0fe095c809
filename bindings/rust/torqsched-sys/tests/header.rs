//! The declarations against the archive that was linked and, where these crates lie in the
//! repository, against the header as a C compiler sees it and the list of exported symbols.

use std::collections::BTreeMap;
use std::env;
use std::ffi::CStr;
use std::fs;
use std::mem::{align_of, size_of, MaybeUninit};
use std::path::PathBuf;
use std::process::Command;
use std::ptr::{addr_of, addr_of_mut, null};
use torqsched_sys::*;

/// Where a member begins, bytes (std::mem::offset_of is younger than Rust 1.63).
macro_rules! offset {
    ($structure:ty, $member:ident) => {{
        let value = MaybeUninit::<$structure>::uninit();
        let base = value.as_ptr();
        // SAFETY: `addr_of!` computes an address within `value` and reads nothing.
        let member = unsafe { addr_of!((*base).$member) };
        member as usize - base as usize
    }};
}

/// Every number of the interface as (what a C compiler is to print, what Rust has).
macro_rules! facts {
    (constants: $($constant:ident)*; $(structure $structure:ident: $($member:ident)*;)*) => {
        vec![
            $((stringify!($constant).to_string(), $constant as i64),)*
            $((format!("sizeof({})", stringify!($structure)), size_of::<$structure>() as i64),
              $((format!("offsetof({}, {})", stringify!($structure), stringify!($member)),
                 offset!($structure, $member) as i64),)*)*
        ]
    };
}

fn facts() -> Vec<(String, i64)> {
    facts! {
        constants:
            TORQSCHED_VERSION_MAJOR TORQSCHED_VERSION_MINOR TORQSCHED_VERSION_PATCH
            TORQSCHED_ABI_VERSION
            TORQSCHED_OK TORQSCHED_CANCELLED TORQSCHED_UNKNOWN TORQSCHED_INVALID_ARGUMENT
            TORQSCHED_DEADLINE_EXCEEDED TORQSCHED_NOT_FOUND TORQSCHED_ALREADY_EXISTS
            TORQSCHED_PERMISSION_DENIED TORQSCHED_RESOURCE_EXHAUSTED
            TORQSCHED_FAILED_PRECONDITION TORQSCHED_ABORTED TORQSCHED_OUT_OF_RANGE
            TORQSCHED_UNIMPLEMENTED TORQSCHED_INTERNAL TORQSCHED_UNAVAILABLE TORQSCHED_DATA_LOSS
            TORQSCHED_UNAUTHENTICATED
            TORQSCHED_LOG_DEBUG TORQSCHED_LOG_INFO TORQSCHED_LOG_WARNING TORQSCHED_LOG_ERROR;
        structure torqsched_buffer: data size;
        structure torqsched_progress: struct_size fraction best_makespan has_best;
        structure torqsched_session_options:
            struct_size user log progress oracle memory_limit_bytes worker_threads reuse_arenas;
    }
}

/// All functions, by name and address: taking the address is what makes the linker look for them.
macro_rules! functions {
    ($($name:ident)*) => { vec![$((stringify!($name), $name as *const ()),)*] };
}

fn functions() -> Vec<(&'static str, *const ())> {
    functions! {
        torqsched_abi_version torqsched_allocate torqsched_buffer_assign torqsched_buffer_free
        torqsched_check_abi torqsched_code_name torqsched_judge_warm torqsched_lower
        torqsched_plan_residency torqsched_plan_tiles torqsched_plan_warm torqsched_schedule
        torqsched_session_free torqsched_session_new torqsched_simulate torqsched_verify
        torqsched_version
    }
}

/// A file of the repository. `None`: these crates lie elsewhere, which is an error where
/// `TORQSCHED_IN_REPOSITORY` is set.
fn repository_file(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .join(name);
    if path.is_file() {
        return Some(path);
    }
    assert!(
        env::var_os("TORQSCHED_IN_REPOSITORY").is_none(),
        "{} is not there",
        path.display()
    );
    eprintln!("skipped: no {}", path.display());
    None
}

#[test]
#[cfg(target_pointer_width = "64")]
fn layouts_are_those_of_64_bit_c() {
    assert_eq!(size_of::<torqsched_buffer>(), 16);
    assert_eq!(align_of::<torqsched_buffer>(), 8);
    assert_eq!(offset!(torqsched_buffer, data), 0);
    assert_eq!(offset!(torqsched_buffer, size), 8);

    assert_eq!(size_of::<torqsched_progress>(), 32);
    assert_eq!(align_of::<torqsched_progress>(), 8);
    assert_eq!(offset!(torqsched_progress, struct_size), 0);
    assert_eq!(offset!(torqsched_progress, fraction), 8);
    assert_eq!(offset!(torqsched_progress, best_makespan), 16);
    assert_eq!(offset!(torqsched_progress, has_best), 24);

    assert_eq!(size_of::<torqsched_session_options>(), 56);
    assert_eq!(align_of::<torqsched_session_options>(), 8);
    assert_eq!(offset!(torqsched_session_options, struct_size), 0);
    assert_eq!(offset!(torqsched_session_options, user), 8);
    assert_eq!(offset!(torqsched_session_options, log), 16);
    assert_eq!(offset!(torqsched_session_options, progress), 24);
    assert_eq!(offset!(torqsched_session_options, oracle), 32);
    assert_eq!(offset!(torqsched_session_options, memory_limit_bytes), 40);
    assert_eq!(offset!(torqsched_session_options, worker_threads), 48);
    assert_eq!(offset!(torqsched_session_options, reuse_arenas), 52);

    // A callback that is not there is a null pointer.
    assert_eq!(size_of::<torqsched_log_callback>(), size_of::<*const ()>());
    assert_eq!(
        size_of::<torqsched_progress_callback>(),
        size_of::<*const ()>()
    );
    assert_eq!(
        size_of::<torqsched_oracle_callback>(),
        size_of::<*const ()>()
    );
}

#[test]
fn the_archive_serves_these_declarations() {
    // SAFETY: these functions take and give plain numbers and static text.
    unsafe {
        assert_eq!(torqsched_check_abi(TORQSCHED_ABI_VERSION), TORQSCHED_OK);
        assert_eq!(torqsched_abi_version(), TORQSCHED_ABI_VERSION);
        assert_eq!(
            torqsched_check_abi(1_999_000),
            TORQSCHED_FAILED_PRECONDITION
        );
        let version = CStr::from_ptr(torqsched_version()).to_str().unwrap();
        let ours = format!("{TORQSCHED_VERSION_MAJOR}.{TORQSCHED_VERSION_MINOR}.");
        assert!(version.starts_with(&ours), "{version}");
        for (name, number) in facts() {
            let bare = name.trim_start_matches("TORQSCHED_");
            if bare == "OK"
                || bare.contains("VERSION")
                || bare.contains("LOG_")
                || name.contains('(')
            {
                continue;
            }
            let told = CStr::from_ptr(torqsched_code_name(number as i32));
            assert_eq!(told.to_str(), Ok(bare));
        }
    }
}

#[test]
fn the_header_has_the_same_numbers() {
    let header = match repository_file("include/torqsched/torqsched.h") {
        Some(header) => header,
        None => return,
    };
    let facts = facts();
    let directory = env!("CARGO_TARGET_TMPDIR");
    let source = format!("{directory}/facts.c");
    let program = format!("{directory}/facts");
    let mut text = String::from(
        "#include <stddef.h>\n#include <stdio.h>\n#include <torqsched/torqsched.h>\nint main(void) {\n",
    );
    for (name, _) in &facts {
        text += &format!("  printf(\"%s=%lld\\n\", \"{name}\", (long long)({name}));\n");
    }
    text += "  return 0;\n}\n";
    fs::write(&source, text).unwrap();
    let include = header.parent().unwrap().parent().unwrap();
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiled = Command::new(compiler)
        .arg("-I")
        .arg(include)
        .args([&source, "-o", &program])
        .status()
        .unwrap();
    assert!(compiled.success());
    let output = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    let in_c: BTreeMap<&str, i64> = output
        .lines()
        .filter_map(|line| line.rsplit_once('='))
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect();
    for (name, value) in &facts {
        assert_eq!(in_c.get(name.as_str()), Some(value), "{name}");
    }
    assert_eq!(in_c.len(), facts.len());

    // And no enumerator of the header is missing here.
    for line in fs::read_to_string(header).unwrap().lines() {
        let name = line.trim().split(" = ").next().unwrap_or_default();
        if name.starts_with("TORQSCHED_") && line.contains(" = ") {
            assert!(facts.iter().any(|(ours, _)| ours == name), "{name}");
        }
    }
}

#[test]
fn the_functions_are_those_that_the_archive_exports() {
    let functions = functions();
    for (name, address) in &functions {
        assert!(!address.is_null(), "{name}");
    }
    let list = match repository_file("capi/symbols.txt") {
        Some(path) => fs::read_to_string(path).unwrap(),
        None => return,
    };
    let mut exported: Vec<&str> = list.split_whitespace().collect();
    let mut ours: Vec<&str> = functions.iter().map(|(name, _)| *name).collect();
    exported.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, exported);
}

#[test]
fn a_call_by_hand() {
    let request = [0x0a_u8, 0x00]; // a ScheduleRequest with an empty stream
    let mut out = torqsched_buffer::EMPTY;
    // SAFETY: the request is as long as is said, `out` is writable, and is freed once.
    unsafe {
        let code = torqsched_schedule(
            null(),
            request.as_ptr().cast(),
            request.len(),
            addr_of_mut!(out),
        );
        assert_eq!(code, TORQSCHED_OK);
        torqsched_buffer_free(&mut out);
        torqsched_buffer_free(&mut out);
    }
    assert!(out.data.is_null());
    assert_eq!(out.size, 0);
}

#[test]
fn a_session_by_hand() {
    let options = torqsched_session_options {
        reuse_arenas: 2,
        ..TORQSCHED_SESSION_OPTIONS_INIT
    };
    let mut session = std::ptr::null_mut();
    let mut error = torqsched_buffer::EMPTY;
    // SAFETY: all pointers are to live, writable values; what is made is freed once.
    unsafe {
        assert_eq!(
            torqsched_session_new(&options, &mut session, &mut error),
            TORQSCHED_INVALID_ARGUMENT
        );
        assert!(session.is_null() && error.size > 0);
        torqsched_buffer_free(&mut error);
        let options = TORQSCHED_SESSION_OPTIONS_INIT;
        assert_eq!(
            torqsched_session_new(&options, &mut session, &mut error),
            TORQSCHED_OK
        );
        assert!(!session.is_null() && error.size == 0);
        torqsched_session_free(session);
    }
}
