//! Handles dropped in any order, by any thread, after fork.

use kernelgen::{ops, DType, Device, Event, Function, Module, Package, Stream, Tensor};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

fn assert_shared<T: Send + Sync>() {}

#[test]
fn handles_are_send_and_sync() {
    assert_shared::<Tensor>();
    assert_shared::<Device>();
    assert_shared::<Stream>();
    assert_shared::<Event>();
    assert_shared::<Package>();
    assert_shared::<Module>();
    assert_shared::<Function>();
    assert_shared::<kernelgen::Error>();
}

#[test]
fn several_packages() {
    let packages = [&Package::embedded().unwrap(), &Package::embedded().unwrap()];
    let device = Device::open_packages("cpu:2", &packages).unwrap();
    assert_eq!(device.clone(), device);
    assert_ne!(device, Device::open("cpu:2").unwrap());
    assert_eq!(device.find_kernel("kg_sqr_f32"), packages[0].find_kernel("kg_sqr_f32"));
    let x = Tensor::full(&device, 3, DType::F32, &[4]).unwrap();
    assert_eq!(ops::sqr(&x).unwrap().to_vec::<f32>().unwrap(), [9.0; 4]);
    assert!(Device::open_packages("cpu:2", &[]).is_err());
}

#[test]
fn any_order() {
    for order in 0..5 {
        let package = Package::embedded().unwrap();
        let device = Device::open_with("cpu:2", &package).unwrap();
        let stream = Stream::new(&device).unwrap();
        let tensor = Tensor::full(&device, 3, DType::F32, &[4]).unwrap();
        let view = tensor.narrow(0, 1, 2).unwrap();
        let mut held: Vec<Box<dyn Send>> = vec![Box::new(package), Box::new(device), Box::new(stream), Box::new(tensor)];
        held.rotate_left(order % 4);
        if order == 4 {
            held.reverse();
        }
        for each in held {
            drop(each);
            assert_eq!(view.to_vec::<f32>().unwrap(), [3.0, 3.0]);
        }
        let again = view.clone();
        drop(view);
        assert_eq!(ops::sqr(&again).unwrap().to_vec::<f32>().unwrap(), [9.0, 9.0]);
    }
}

#[test]
fn any_thread() {
    let device = Arc::new(Device::open("cpu:2").unwrap());
    let shared = Arc::new(Tensor::full(&device, 2, DType::F32, &[100_000]).unwrap());
    let (sender, receiver) = std::sync::mpsc::channel::<Tensor>();
    let workers: Vec<_> = (0..4)
        .map(|n| {
            let (shared, device, sender) = (shared.clone(), device.clone(), sender.clone());
            thread::spawn(move || {
                for _ in 0..50 {
                    let mine = ops::affine(&shared, 1, n).unwrap();
                    assert_eq!(mine.narrow(0, 99_999, 1).unwrap().to_vec::<f32>().unwrap(), [2.0 + n as f32]);
                    sender.send(mine).unwrap();
                    device.synchronize().unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    assert_eq!(receiver.iter().count(), 200); // dropped by this thread
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

#[test]
fn a_vector_is_borrowed_and_given_back() {
    // A vector whose memory is watched: each allocation of so many bytes is counted by the test's own allocator.
    let device = Device::open("cpu").unwrap();
    let before = LIVE.load(Ordering::SeqCst);
    let vector = vec![1.5f64; WATCHED];
    let address = vector.as_ptr() as usize;
    let tensor = Tensor::from_vec(&device, vector, &[WATCHED as i64]).unwrap();
    assert_eq!(tensor.data() as usize, address);
    let view = tensor.narrow(0, 0, 1).unwrap();
    drop(tensor);
    assert_eq!(LIVE.load(Ordering::SeqCst), before + 1);
    assert_eq!(view.to_vec::<f64>().unwrap(), [1.5]);
    thread::spawn(move || drop(view)).join().unwrap();
    assert_eq!(LIVE.load(Ordering::SeqCst), before);

    assert!(Tensor::from_vec(&device, vec![1.5f64; WATCHED], &[-1]).is_err());
    assert_eq!(LIVE.load(Ordering::SeqCst), before);
}

const WATCHED: usize = 12_345;
static LIVE: AtomicUsize = AtomicUsize::new(0);

struct Watch;

unsafe impl std::alloc::GlobalAlloc for Watch {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        if layout.size() == WATCHED * 8 {
            LIVE.fetch_add(1, Ordering::SeqCst);
        }
        std::alloc::System.alloc(layout)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: std::alloc::Layout) {
        if layout.size() == WATCHED * 8 {
            LIVE.fetch_sub(1, Ordering::SeqCst);
        }
        std::alloc::System.dealloc(memory, layout)
    }
}

#[global_allocator]
static WATCH: Watch = Watch;

extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

/// In a separate process (`cargo test` starts this program again): fork is unsafe beside other tests' threads.
#[test]
fn after_fork() {
    if std::env::var_os("KERNELGEN_TEST_FORK").is_none() {
        let ended = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "after_fork", "--test-threads=1"])
            .env("KERNELGEN_TEST_FORK", "1")
            .status()
            .unwrap();
        assert!(ended.success());
        return;
    }
    let device = Device::open("cpu:2").unwrap();
    let x = Tensor::full(&device, 1, DType::F32, &[1 << 20]).unwrap();
    ops::sqr(&x).unwrap();
    let mut status = -1;
    unsafe {
        let child = fork();
        if child == 0 {
            let right = ops::affine(&x, 1, 1).unwrap().to_vec::<f32>().unwrap().iter().all(|value| *value == 2.0);
            drop(x);
            drop(device);
            _exit(i32::from(!right));
        }
        assert_eq!(waitpid(child, &mut status, 0), child);
    }
    assert_eq!(status, 0);
    assert_eq!(ops::sum(&x, &[0], false).unwrap().to_vec::<f32>().unwrap(), [(1 << 20) as f32]);
}
