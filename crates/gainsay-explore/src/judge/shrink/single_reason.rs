//! A panic is shown for one reason: a number at which the operation panics anyway, whatever the
//! other arguments are, must not stand beside the text or list that the finding is about.

use gainsay_wire::{Arg, Oracle, Sequence, Value};
use gainsay_workers::WorkerError;

use crate::{
    findings::identity::sightings,
    judge::{
        shrink::Shown,
        trial::{Target, Trial},
    },
    sequences::task,
};

/// Numbers that are tried instead; the one that was there first comes last.
// Small numbers that most operations take; ten for those that want a radix.
const PLAIN: [i128; 3] = [1, 2, 10];
/// Texts that nothing is wrong with.
const HARMLESS: [&str; 3] = ["", "a", "0"];

/// Contract: same steps; only numbers of the last call change that were made simpler before, and
/// only where they make it panic without the rest.
pub(crate) fn one_reason(
    trial: &mut Trial<'_>,
    start: &Sequence,
    mut current: Shown,
) -> Result<Shown, WorkerError> {
    let is_panic = matches!(current.1.oracle, Oracle::Panic(_));
    let (true, Target::Exact(_), Some(last)) = (is_panic, &trial.target, start.steps.last()) else {
        return Ok(current);
    };
    let before = last.clone();
    for arg in 0..before.args.len() {
        let (Arg::Plain(Value::Int(first)), Some(Arg::Plain(Value::Int(now)))) =
            (&before.args[arg], current.0.steps.last().and_then(|step| step.args.get(arg)))
        else {
            continue;
        };
        if first == now || !panics_anyway(trial, &current.0, arg)? {
            continue;
        }
        for number in PLAIN.into_iter().chain([*first]) {
            let other = with_last(&current.0, arg, Value::Int(number));
            if let Some(shown) = trial.first([other])?
                && !panics_anyway(trial, &shown.0, arg)?
            {
                current = shown;
                break;
            }
        }
    }
    Ok(current)
}

/// True if the last call panics elsewhere with harmless texts and no items beside the argument.
fn panics_anyway(
    trial: &mut Trial<'_>,
    sequence: &Sequence,
    arg: usize,
) -> Result<bool, WorkerError> {
    let Some(last) = sequence.steps.last() else { return Ok(false) };
    let mut controls: Vec<Sequence> = Vec::new();
    for (at, other) in last.args.iter().enumerate().filter(|(at, _)| *at != arg) {
        let harmless: Vec<Value> = match other {
            Arg::Plain(Value::Str(_)) => {
                HARMLESS.iter().map(|text| Value::Str((*text).to_owned())).collect()
            }
            Arg::Plain(Value::Seq(_)) => vec![Value::Seq(Vec::new())],
            _ => continue,
        };
        controls.extend(harmless.into_iter().map(|value| with_last(sequence, at, value)));
    }
    // Asked before anything is run: half of the controls decide nothing.
    let cost = u32::try_from(controls.len()).unwrap_or(u32::MAX);
    if controls.is_empty() || trial.left < cost || trial.cancel.is_cancelled() {
        return Ok(false);
    }
    trial.left -= cost;
    let tasks: Vec<_> = controls.iter().map(|control| task(control, trial.views)).collect();
    let answers = trial.runner.run(&tasks, trial.cancel)?;
    Ok(answers.iter().any(|answer| {
        let seen = sightings(trial.subject, answer);
        let shows_target = trial.target.find(trial.subject, answer).is_some();
        !shows_target && seen.iter().any(|seen| matches!(seen.oracle, Oracle::Panic(_)))
    }))
}

fn with_last(sequence: &Sequence, arg: usize, value: Value) -> Sequence {
    let mut sequence = sequence.clone();
    if let Some(step) = sequence.steps.last_mut() {
        step.args[arg] = Arg::Plain(value);
    }
    sequence
}

#[cfg(test)]
mod tests {
    use gainsay_model::fault::Moment;
    use gainsay_wire::{PanicPlace, RunTask};
    use gainsay_workers::Cancel;

    use super::*;
    use crate::{
        fake::{Fake, NOISE, int, report, sequence, subject},
        findings::identity::{Identity, Sighting},
    };

    fn panic(line: u32) -> Oracle {
        let (file, message) = ("/s/src/lib.rs".to_owned(), String::new());
        Oracle::Panic(PanicPlace { file, line, message, changed: false })
    }

    /// Panics in line 2 for "ß", and in line 1 for other texts with a number below `least`.
    fn run_fake(task: &RunTask, least: i128) -> gainsay_workers::Answer<gainsay_wire::RunReport> {
        let args = &task.sequence.steps[0].args;
        let (Arg::Plain(Value::Str(text)), Arg::Plain(Value::Int(number))) = (&args[0], &args[1])
        else {
            return report(None);
        };
        let line = if text == "ß" { Some(2) } else { (*number < least).then_some(1) };
        report(line.map(|line| (panic(line), NOISE)))
    }

    fn number_after(least: i128) -> Option<i128> {
        let text = || Arg::Plain(Value::Str("ß".to_owned()));
        let (start, now) =
            (sequence(&[(NOISE, &[text(), int(36)])]), sequence(&[(NOISE, &[text(), int(0)])]));
        let (subject, cancel) = (subject(), Cancel::new());
        let identity = Identity::of(&subject, &panic(2), NOISE);
        let (about, message) = (None, String::new());
        let seen = Sighting {
            identity: identity.clone(),
            oracle: panic(2),
            op: NOISE,
            about,
            moment: Moment::Call,
            message,
        };
        let mut fake = Fake::running(|task| run_fake(task, least));
        let mut trial = Trial::new(&mut fake, &subject, &cancel, Target::Exact(identity));
        trial.left = 100;
        let (shown, _) = one_reason(&mut trial, &start, (now, seen)).unwrap();
        match &shown.steps[0].args[1] {
            Arg::Plain(value) => value.as_int(),
            Arg::Object(_) => None,
        }
    }

    #[test]
    fn a_number_that_panics_with_any_text_gives_way() {
        assert_eq!(number_after(2), Some(2));
        assert_eq!(number_after(20), Some(36));
    }

    #[test]
    fn a_number_that_does_no_harm_stays() {
        assert_eq!(number_after(0), Some(0));
        assert_eq!(number_after(100), Some(0), "nothing is better");
    }
}
