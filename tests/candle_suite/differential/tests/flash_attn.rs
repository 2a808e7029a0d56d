//! candle-flash-attn's functions beside attention in f32 on the CPU.

mod common;

use candle_core::{DType, Device, IndexOp, Result, Tensor};
use candle_flash_attn as flash;
use common::{assert_within, device, rounding, Random};

/// How logits are masked and biased.
#[derive(Clone, Default)]
struct Logits {
    scale: f32,
    cap: Option<f32>,
    left: Option<usize>,
    right: Option<usize>,
    slopes: Option<Vec<f32>>,
    range: Option<(usize, usize)>,
}

/// One sequence: q (queries, heads, width), k and v (keys, kv heads, width), on the CPU.
fn attention(q: &Tensor, k: &Tensor, v: &Tensor, logits: &Logits) -> Result<Tensor> {
    let (queries, heads, _) = q.dims3()?;
    let (keys, kv_heads, _) = k.dims3()?;
    let mut results = Vec::new();
    for head in 0..heads {
        let of = |x: &Tensor, head: usize| x.i((.., head, ..))?.to_dtype(DType::F32)?.contiguous();
        let (q, k, v) = (of(q, head)?, of(k, head * kv_heads / heads)?, of(v, head * kv_heads / heads)?);
        let mut rows = (q.matmul(&k.t()?)? * f64::from(logits.scale))?.to_vec2::<f32>()?;
        for (query, row) in rows.iter_mut().enumerate() {
            let position = (query + keys) as i64 - queries as i64;
            for (key, logit) in row.iter_mut().enumerate() {
                if let Some(cap) = logits.cap {
                    *logit = cap * (*logit / cap).tanh();
                }
                let ahead = key as i64 - position;
                if let Some(slopes) = &logits.slopes {
                    *logit -= slopes[head] * ahead.abs() as f32;
                }
                let within = |at: i64| logits.range.is_some_and(|(begin, end)| at >= begin as i64 && at < end as i64);
                let in_window = logits.left.is_none_or(|left| -ahead <= left as i64)
                    && logits.right.is_none_or(|right| ahead <= right as i64);
                if !in_window && !(within(position) && within(key as i64)) {
                    *logit = f32::NEG_INFINITY;
                }
            }
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter_mut().for_each(|logit| *logit = if largest.is_finite() { (*logit - largest).exp() } else { 0.0 });
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|share| *share /= sum.max(f32::MIN_POSITIVE));
        }
        results.push(Tensor::new(rows, &Device::Cpu)?.matmul(&v)?);
    }
    Tensor::stack(&results, 1)
}

fn compare(what: &str, ours: &Tensor, expected: &Tensor) -> Result<()> {
    let bound = 2.0 * rounding(ours.dtype());
    assert_within(what, &ours.to_dtype(DType::F32)?, expected, |_| bound)
}

/// (batch, queries, heads, width) and keys and values.
fn operands(random: &mut Random, dtype: DType, width: usize) -> Result<[Tensor; 3]> {
    let (batch, queries, keys, heads, kv_heads) = (2, 7, 11, 4, 2);
    Ok([
        random.tensor((batch, queries, heads, width), dtype)?,
        random.tensor((batch, keys, kv_heads, width), dtype)?,
        random.tensor((batch, keys, kv_heads, width), dtype)?,
    ])
}

fn expected(q: &Tensor, k: &Tensor, v: &Tensor, logits: &Logits) -> Result<Tensor> {
    let rows = (0..q.dim(0)?).map(|at| attention(&q.get(at)?, &k.get(at)?, &v.get(at)?, logits));
    Tensor::stack(&rows.collect::<Result<Vec<_>>>()?, 0)
}

/// Also a width that the fused attention does not take.
const WIDTHS: [usize; 3] = [32, 128, 512];

#[test]
fn dense() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(40));
    let slopes = vec![0.5f32, 0.25, 0.125, 0.0625];
    let slope_tensor = Tensor::new(slopes.as_slice(), &device)?;
    for dtype in [DType::F16, DType::BF16] {
        for width in WIDTHS {
            let [q, k, v] = operands(&mut random, dtype, width)?;
            let [dq, dk, dv] = [q.to_device(&device)?, k.to_device(&device)?, v.to_device(&device)?];
            let plain = Logits { scale: 0.2, ..Logits::default() };
            let causal = Logits { right: Some(0), ..plain.clone() };
            let window = Logits { left: Some(3), right: Some(1), ..plain.clone() };
            let biased = Logits { slopes: Some(slopes.clone()), ..plain.clone() };
            let capped = Logits { cap: Some(2.0), ..biased.clone() };
            let is = |ours: Tensor, logits: &Logits| {
                compare(&format!("{dtype:?} {width}"), &ours, &expected(&q, &k, &v, logits)?)
            };
            is(flash::flash_attn(&dq, &dk, &dv, 0.2, false)?, &plain)?;
            is(flash::flash_attn(&dq, &dk, &dv, 0.2, true)?, &causal)?;
            is(flash::flash_attn_windowed(&dq, &dk, &dv, 0.2, Some(3), Some(1))?, &window)?;
            is(flash::flash_attn_windowed(&dq, &dk, &dv, 0.2, Some(99), Some(99))?, &plain)?;
            is(flash::flash_attn_alibi(&dq, &dk, &dv, &slope_tensor, 0.2, false)?, &biased)?;
            let slopes = Some(&slope_tensor);
            is(flash::flash_attn_alibi_windowed_softcap(&dq, &dk, &dv, slopes, 0.2, None, None, 2.0)?, &capped)?;
            let uniform = Logits { scale: 0.0, ..plain };
            is(flash::flash_attn(&dq, &dk, &dv, 0.0, false)?, &uniform)?;
        }
    }
    Ok(())
}

/// Cumulative lengths.
fn cumulative(lengths: &[usize], device: &Device) -> Result<Tensor> {
    let mut sums = vec![0u32];
    lengths.iter().for_each(|&length| sums.push(sums[sums.len() - 1] + length as u32));
    Tensor::new(sums, device)
}

#[test]
fn sequences_of_different_lengths() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(41));
    let (of_q, of_k) = ([3, 1, 0, 6], [5, 4, 2, 6]);
    let (heads, kv_heads) = (4, 2);
    for width in WIDTHS {
        let q = random.tensor((of_q.iter().sum::<usize>(), heads, width), DType::F16)?;
        let k = random.tensor((of_k.iter().sum::<usize>(), kv_heads, width), DType::F16)?;
        let v = random.tensor(k.shape(), DType::F16)?;
        for logits in [
            Logits { scale: 0.3, ..Logits::default() },
            Logits { scale: 0.3, right: Some(0), ..Logits::default() },
            Logits { scale: 0.3, left: Some(1), right: Some(1), cap: Some(4.0), ..Logits::default() },
        ] {
            let ours = flash::flash_attn_varlen_alibi_windowed_softcap(
                &q.to_device(&device)?,
                &k.to_device(&device)?,
                &v.to_device(&device)?,
                None,
                &cumulative(&of_q, &device)?,
                &cumulative(&of_k, &device)?,
                6,
                6,
                logits.scale,
                logits.left,
                logits.right,
                logits.cap.unwrap_or(0.0),
            )?;
            let (mut row, mut key) = (0, 0);
            for (queries, keys) in of_q.into_iter().zip(of_k) {
                if queries > 0 {
                    let (k, v) = (k.narrow(0, key, keys)?, v.narrow(0, key, keys)?);
                    let theirs = attention(&q.narrow(0, row, queries)?, &k, &v, &logits)?;
                    compare(&format!("{width} {queries} {keys}"), &ours.narrow(0, row, queries)?, &theirs)?;
                }
                row += queries;
                key += keys;
            }
        }
    }
    Ok(())
}

#[test]
fn pages_and_prefix_ranges() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(42));
    let (heads, kv_heads, page, pages) = (4, 2, 32, 5);
    for width in WIDTHS {
        let queries = 20;
        let q = random.tensor((queries, heads, width), DType::BF16)?;
        let cache = [0; 2].map(|_| random.tensor((pages, page, kv_heads, width), DType::BF16));
        let [k, v] = cache;
        let (k, v) = (k?, v?);
        // Keys of the only sequence: page 3, then the first 8 rows of page 1.
        let keys = 40;
        let table = Tensor::new(&[[3u32, 1]], &device)?;
        let rows = |x: &Tensor| Tensor::cat(&[x.get(3)?, x.get(1)?.narrow(0, 0, 8)?], 0);
        for range in [None, Some((22, 30))] {
            let logits = Logits { scale: 0.2, left: Some(6), right: Some(0), range, ..Logits::default() };
            let ranges = range.map(|(begin, end)| Tensor::new(&[[[begin as i32, end as i32]]], &device)).transpose()?;
            let ours = flash::flash_attn_varlen_paged_windowed(
                &q.to_device(&device)?,
                &k.to_device(&device)?,
                &v.to_device(&device)?,
                &cumulative(&[queries], &device)?,
                &cumulative(&[keys], &device)?,
                &table,
                ranges.as_ref(),
                queries,
                keys,
                logits.scale,
                logits.left,
                logits.right,
                page,
                None,
            )?;
            compare(&format!("{width} {range:?}"), &ours, &attention(&q, &rows(&k)?, &rows(&v)?, &logits)?)?;
        }
    }
    Ok(())
}

#[test]
fn what_candle_refuses_is_refused() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(43));
    let [q, k, v] = operands(&mut random, DType::F32, 32)?;
    let [q, k, v] = [q.to_device(&device)?, k.to_device(&device)?, v.to_device(&device)?];
    let refused = |q: &Tensor, k: &Tensor| flash::flash_attn(q, k, &v, 0.2, false).expect_err("refused").to_string();
    assert!(refused(&q, &k).contains("f16/bf16"));
    assert!(refused(&q, &k.narrow(2, 0, 1)?).contains("shape mismatch"));
    Ok(())
}
