//! `candle-bench LABEL=DEVICE[,LABEL=DEVICE] SET SECONDS [TEXT]`: times candle's calls, and prints "row, size, label,
//! microseconds", separated by tabs. DEVICE is `cuda`, candle's feature or kernel-gen's back end in its place, or `cpu`; with two
//! of them, each row alternates between both. SET is `kernels`, `small-models` or `models`; SECONDS are spent on each row, and
//! rows are those whose name has TEXT.

mod kernels;
mod models;
mod weights;

use candle_core::{Device, Result};
use std::time::{Duration, Instant};

type Call = Box<dyn FnMut() -> Result<()>>;
type Make = Box<dyn Fn(&Device) -> Result<Call>>;

/// What is timed: its name, its size, and how it is made on a device.
pub struct Row {
    name: String,
    size: String,
    make: Make,
}

/// A call on a device, in batches of about a millisecond, with one wait at the end of each.
struct Subject {
    device: Device,
    call: Call,
    batch: u32,
    times: Vec<f64>,
}

impl Subject {
    fn new(device: &Device, make: &Make) -> Result<Self> {
        let mut new = Self { device: device.clone(), call: make(device)?, batch: 1, times: vec![] };
        new.run()?;
        let once = new.run()?;
        new.batch = (1e3 / once).clamp(1., 1000.) as u32;
        Ok(new)
    }

    /// Microseconds of a call, in a batch.
    fn run(&mut self) -> Result<f64> {
        let start = Instant::now();
        for _ in 0..self.batch {
            (self.call)()?;
        }
        self.device.synchronize()?;
        Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(self.batch))
    }

    fn median(&mut self) -> f64 {
        self.times.sort_by(f64::total_cmp);
        self.times[self.times.len() / 2]
    }
}

/// The median of each label; what candle refuses is not there.
fn time(row: &Row, devices: &[(String, Device)], budget: Duration) -> Vec<(String, f64)> {
    let mut subjects = vec![];
    for (label, device) in devices {
        match Subject::new(device, &row.make) {
            Ok(subject) => subjects.push((label.clone(), subject)),
            Err(error) => eprintln!("{} {} on {label}: {error}", row.name, row.size),
        }
    }
    let start = Instant::now();
    while subjects.iter().any(|(_, subject)| subject.times.len() < 3)
        || start.elapsed() < budget * subjects.len() as u32
    {
        for (label, subject) in &mut subjects {
            match subject.run() {
                Ok(time) => subject.times.push(time),
                Err(error) => panic!("{} {} on {label}: {error}", row.name, row.size),
            }
        }
    }
    subjects.into_iter().map(|(label, mut subject)| (label, subject.median())).collect()
}

fn device(name: &str) -> Result<Device> {
    match name {
        "cuda" => Device::new_cuda(0),
        "cpu" => Ok(Device::Cpu),
        _ => candle_core::bail!("no device is called {name:?}: cuda, cpu"),
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [labels, set, seconds, text @ ..] = &arguments[..] else {
        candle_core::bail!("usage: candle-bench LABEL=DEVICE[,LABEL=DEVICE] SET SECONDS [TEXT]")
    };
    let devices = labels
        .split(',')
        .map(|each| {
            let (label, name) = each.split_once('=').unwrap_or((each, each));
            Ok((label.to_string(), device(name)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let rows = match set.as_str() {
        "kernels" => kernels::rows(),
        "small-models" => models::rows(&models::SMALL),
        "models" => models::rows(&models::WHOLE),
        _ => candle_core::bail!("no set is called {set:?}: kernels, small-models, models"),
    };
    let budget = Duration::from_secs_f64(seconds.parse().map_err(candle_core::Error::wrap)?);
    for row in rows.iter().filter(|row| text.iter().all(|text| row.name.contains(text))) {
        for (label, microseconds) in time(row, &devices, budget) {
            println!("{}\t{}\t{label}\t{microseconds:.2}", row.name, row.size);
        }
    }
    Ok(())
}
