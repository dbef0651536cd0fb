//! Compares two builds of our server, alternating in the same run.

use std::path::{Path, PathBuf};

use crate::servers::OURS;
use crate::{Cost, measure, names, notes};

const ROUNDS: usize = 5;

/// Measures the program `toolwrit` of two folders, and prints the median of each cost, and the ratios of the second
/// build to the first.
pub(crate) fn compare(folders: &[PathBuf; 2], count: usize, place: &Path) {
    let (notes, linked) = notes(count, place);
    let mut rounds: [Vec<Vec<Option<Cost>>>; 2] = Default::default();
    let mut held: [Vec<u64>; 2] = Default::default();
    for _ in 0..ROUNDS {
        for ((folder, rounds), held) in folders.iter().zip(&mut rounds).zip(&mut held) {
            let (costs, memory) =
                measure(&OURS, Some(&folder.join("toolwrit")), notes.path(), linked);
            rounds.push(costs);
            held.extend(memory);
        }
    }
    let [first, second] = folders.each_ref().map(|folder| folder.display());
    println!("\n{count} notes in {}, milliseconds of CPU / wall per call\n", place.display());
    println!("| | {first} | {second} | ratio |\n|---|---|---|---|");
    for (at, name) in names().enumerate() {
        let cpu = rounds.each_ref().map(|rounds| median(rounds, at, |cost| cost.cpu));
        let wall = rounds.each_ref().map(|rounds| median(rounds, at, |cost| cost.wall));
        println!(
            "| {name} | {:.3} / {:.3} | {:.3} / {:.3} | {:.2} / {:.2} |",
            cpu[0],
            wall[0],
            cpu[1],
            wall[1],
            cpu[1] / cpu[0],
            wall[1] / wall[0]
        );
    }
    let held = held.map(|mut held| {
        held.sort_unstable();
        held.get(held.len() / 2).map_or(0, |bytes| bytes >> 20)
    });
    println!("| resident at the end, MB | {} | {} | |", held[0], held[1]);
}

/// The median of a row's figure over the rounds.
fn median(rounds: &[Vec<Option<Cost>>], row: usize, figure: fn(&Cost) -> f64) -> f64 {
    let mut figures: Vec<f64> =
        rounds.iter().filter_map(|costs| costs[row].as_ref()).map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
