//! Items made up for the purpose; candle's own are edited by the suite that runs candle's tests.

use crate::rules::{Edit, Rule};
use crate::source::Source;
use crate::{arguments, fit, output, patch, stray};
use std::fs;
use std::path::{Path, PathBuf};

const TEXT: &str = r#"
#[cfg(feature = "cuda")]
use a::b::ffi;
struct Op;
#[cfg(feature = "cuda")]
mod cuda { use cudarc::driver; }
impl Named for Op {
    fn cpu_fwd(&self) -> u32 { 1 }
    #[cfg(not(feature = "cuda"))]
    fn cuda_fwd(&self) -> u32 { 2 }
    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self) -> u32 { match d { #[cfg(feature = "cuda")] Device::Cuda(d) => { d.cuda_stream() } _ => 0 } }
    #[cfg(feature = "metal")]
    fn metal_fwd(&self) -> u32 { cudarc::metal() }
}
/// Über alles, "{" in a comment.
pub fn available() -> bool { let braces = "}"; cfg!(feature = "cuda") }
"#;

fn rule(item: &'static str, edit: Edit) -> Rule {
    Rule { file: "x.rs", item, edit, since: None, until: None }
}

fn edited(rules: &[Rule]) -> Result<String, String> {
    let mut source = Source::parse(Path::new("x.rs"), TEXT.to_string())?;
    rules.iter().try_for_each(|rule| patch::edit(&mut source, rule))?;
    Ok(source.edited())
}

/// A folder of one test, empty at first.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kernelgen-candle-test-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn items_are_edited_and_nothing_else() {
    let text = edited(&[
        rule("available", Edit::Body("true")),
        rule("mod cuda", Edit::Remove),
        rule("use a::b::ffi", Edit::Remove),
        rule("Op::cpu_fwd", Edit::After("fn more(&self) {}")),
        rule("Op::cuda_fwd", Edit::Prepend("let first = 1;")),
        rule("", Edit::Add("mod ours;")),
    ])
    .unwrap();
    assert!(text.contains("/// Über alles, \"{\" in a comment.\npub fn available() -> bool { true }"), "{text}");
    assert!(!text.contains("mod cuda") && !text.contains("use a::b"), "{text}");
    assert!(text.contains("u32 { 1 }\n\n    fn more(&self) {}"), "{text}");
    assert!(text.contains("{ 2 }") && text.contains("u32 {\nlet first = 1; match d"), "{text}");
    assert!(text.trim_end().ends_with("mod ours;"), "{text}");
}

#[test]
fn a_match_arm_has_another_body() {
    let text = edited(&[rule("Op::cuda_fwd", Edit::Arm("Device::Cuda", "{ 7 }"))]).unwrap();
    assert!(text.contains("Device::Cuda(d) => { 7 } _ => 0"), "{text}");
    let error = edited(&[rule("Op::cuda_fwd", Edit::Arm("Device::Hip", "{ 7 }"))]).unwrap_err();
    assert_eq!(error, "Op::cuda_fwd has 0 match arms Device::Hip, not one");
}

#[test]
fn the_feature_can_be_left_out_of_a_file() {
    let text = edited(&[rule("", Edit::WithoutFeature)]).unwrap();
    assert!(text.contains("#[cfg(any())]\nmod cuda") && text.contains("#[cfg(not(any()))]"), "{text}");
}

#[test]
fn an_item_that_is_not_there_is_named() {
    for name in ["nothing", "Op::nothing", "Other::cuda_fwd", "mod nothing", "use a::b", "Op::metal_fwd"] {
        assert_eq!(edited(&[rule(name, Edit::Remove)]).unwrap_err(), format!("{name} is not there"));
    }
    assert_eq!(edited(&[rule("mod cuda", Edit::Body(""))]).unwrap_err(), "mod cuda has no body");
}

#[test]
fn what_names_candles_own_back_end_is_found() {
    let folder = scratch("stray");
    let root = "mod deep;\nmod ours;\n#[cfg(feature = \"metal\")]\nmod other;\nuse cudarc::y;";
    let files = [("lib.rs", root), ("deep/mod.rs", "mod x;"), ("deep/x.rs", TEXT)];
    files.iter().for_each(|(name, text)| output::write(&folder.join(name), text).unwrap());
    ["ours.rs", "other.rs"].iter().for_each(|name| output::write(&folder.join(name), "use cudarc::x;").unwrap());
    let found = stray::find(&folder.join("lib.rs"), &[folder.join("ours.rs")]).unwrap();
    let path = folder.join("deep/x.rs");
    let expected = [
        format!("{}:5: cudarc is not replaced", folder.join("lib.rs").display()),
        format!("{}:6: cudarc is not replaced", path.display()),
        format!("{}:12: cuda_stream is not replaced", path.display()),
    ];
    assert_eq!(found, expected);
    fs::write(&path, "fn broken( {").unwrap();
    let error = stray::find_in_programs(&folder.join("deep")).unwrap_err();
    assert!(error.starts_with(&format!("{}:1: ", path.display())), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn implementations_are_fitted_to_a_version() {
    let folder = scratch("fit");
    let traits = "pub trait BackendStorage { fn kept(&self); fn given(&self) {} }\n\
                  pub trait BackendDevice {\n    fn kept();\n    fn new_one();\n}";
    output::write(&folder.join("src/backend.rs"), traits).unwrap();
    let storage =
        "impl BackendStorage for S { fn kept(&self) {} fn dropped(&self) {} }\nimpl S { fn dropped(&self) {} }";
    output::write(&folder.join("src/cuda_backend/storage.rs"), storage).unwrap();
    output::write(&folder.join("src/cuda_backend/device.rs"), "impl BackendDevice for D { fn kept() {} }").unwrap();
    let mut problems = Vec::new();
    fit::to_traits(&folder, &mut problems).unwrap();
    let path = folder.join("src/backend.rs");
    assert_eq!(problems, [format!("{}:4: the back end has no BackendDevice::new_one", path.display())]);
    let fitted = output::read(&folder.join("src/cuda_backend/storage.rs")).unwrap();
    assert_eq!(fitted, "impl BackendStorage for S { fn kept(&self) {}  }\nimpl S { fn dropped(&self) {} }");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_is_written_whole_or_not_at_all() {
    let parent = scratch("out");
    let wanted = parent.join("candle");
    let entries = || fs::read_dir(&parent).unwrap().count();
    drop(output::Folder::new(&wanted).unwrap());
    assert_eq!(entries(), 0, "what is not published leaves nothing");
    for text in ["first", "second"] {
        let folder = output::Folder::new(&wanted).unwrap();
        output::write(&folder.path().join("a/b"), text).unwrap();
        folder.publish().unwrap();
        assert_eq!((output::read(&wanted.join("a/b")).unwrap().as_str(), entries()), (text, 1));
    }
    let time = || fs::metadata(wanted.join("a/b")).unwrap().modified().unwrap();
    let before = time();
    let folder = output::Folder::new(&wanted).unwrap();
    output::write(&folder.path().join("a/b"), "second").unwrap();
    folder.publish().unwrap();
    assert_eq!((time(), entries()), (before, 1), "an equal folder stays");
    let foreign = parent.join("foreign");
    output::write(&foreign.join("mine"), "").unwrap();
    let error = output::Folder::new(&foreign).err().unwrap();
    assert!(error.contains("was not written by this program"), "{error}");
    assert!(output::Folder::new(&foreign.join("mine")).is_err(), "a file is not a folder");
    fs::remove_dir_all(parent).unwrap();
}

#[test]
fn the_command_line() {
    let parse = |line: &str| arguments::parse(line.split_whitespace().map(str::to_string));
    let given = parse("0.11.0 --out x --from y").unwrap().unwrap();
    assert_eq!((given.version.as_str(), given.out, given.from), ("0.11.0", "x".into(), Some("y".into())));
    assert!(parse("--help").unwrap().is_none());
    let wrong = [
        ("", "version is missing"),
        ("0.11.0", "--out DIR is missing"),
        ("0.11 --out x", "0.11: not a version"),
        ("0.11.0 --out", "--out: a folder is missing"),
        ("0.11.0 0.10.2", "one version, not also 0.10.2"),
        ("0.11.0 --output x", "unknown option --output"),
    ];
    for (line, reason) in wrong {
        let error = parse(line).err().unwrap();
        assert!(error.contains(reason), "{line}: {error}");
    }
    assert_eq!(arguments::numbers("0.9.1"), Ok((0, 9, 1)));
}
