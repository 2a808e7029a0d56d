//! Which locations in candle's crates get what. They are named by items, so that a version with another text inside them is
//! served by the same rule.

use crate::arguments::Version;

pub mod core;
pub mod nn;

/// A folder of backend/ that is placed whole.
pub struct Tree {
    /// Below backend/.
    pub from: &'static str,
    /// Below the crate.
    pub to: &'static str,
    /// Files and folders of candle's that it replaces, where a version has them.
    pub instead_of: &'static [&'static str],
}

/// An edit of one item.
pub struct Rule {
    /// Below the crate.
    pub file: &'static str,
    /// "function", "Type::method", "mod name" or "use path"; only what the feature `cuda` compiles is meant.
    pub item: &'static str,
    pub edit: Edit,
    /// The first version that needs the edit, if not all do.
    pub since: Option<Version>,
    /// The first version that does not need it any more.
    pub until: Option<Version>,
}

impl Rule {
    pub fn is_for(&self, version: Version) -> bool {
        self.since.is_none_or(|since| version >= since) && self.until.is_none_or(|until| version < until)
    }
}

pub enum Edit {
    /// Another body for the function.
    Body(&'static str),
    /// Statements before the function's own.
    Prepend(&'static str),
    /// Further items after it, in the same impl or module.
    After(&'static str),
    /// The item goes, with its attributes.
    Remove,
    /// Another body for the function's match arm whose pattern begins with the path.
    Arm(&'static str, &'static str),
    /// What the feature `cuda` adds to the file is left out; the item is empty.
    WithoutFeature,
    /// Text at the end of the file; the item is empty.
    Add(&'static str),
}
