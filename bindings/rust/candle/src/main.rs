//! `kernelgen-candle VERSION --out DIR`: candle's crates of that version, as cargo gives them, with kernel-gen's back end
//! for the feature `cuda`.

mod arguments;
mod crates;
mod dtypes;
mod fit;
mod manifest;
mod output;
mod patch;
mod rules;
mod source;
mod stray;
#[cfg(test)]
mod tests;

/// The back end's own files, by their path below backend/.
mod backend {
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

use std::process::ExitCode;

/// What stopped the tool, in a sentence or a list of them.
type Result<T> = std::result::Result<T, String>;

fn run(arguments: &arguments::Arguments) -> Result<Vec<String>> {
    let sources = crates::find(arguments)?;
    let folder = output::Folder::new(&arguments.out)?;
    let notes = patch::all(arguments, &sources, folder.path())?;
    folder.publish()?;
    Ok(notes)
}

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print!("{}", arguments::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(reason) => {
            eprintln!("kernelgen-candle: {reason}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(notes) => {
            notes.iter().for_each(|note| eprintln!("note: {note}"));
            print!("{}", output::summary(&arguments));
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("kernelgen-candle: {reason}");
            ExitCode::FAILURE
        }
    }
}
