//! Catching panics of the subject: silently, with place and words. A panic that cannot unwind ends
//! the process, so its words go to standard error, where the driver finds them.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    hash::BuildHasherDefault,
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind},
};

use gainsay_wire::{Mix, PanicPlace};

const MOST_MESSAGE: usize = 300;

/// A place in the code: file by its address, line, column.
type Place = (usize, u32, u32);

thread_local! {
    /// Places of panics that can unwind.
    static HARMLESS: RefCell<HashSet<Place, BuildHasherDefault<Mix>>> = RefCell::default();
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<PanicPlace>> = const { RefCell::new(None) };
}

/// From now on panics of this thread are recorded instead of printed.
pub(crate) fn watch_this_thread() {
    install_hook();
    WATCHED.set(true);
}

/// The hook belongs to the whole process, and the subject may have put its own in its place.
fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        if WATCHED.try_with(Cell::get) != Ok(true) {
            print(info);
        } else if is_deadly(info) {
            print_cause();
            print(info);
        } else {
            record(info);
        }
    }));
}

#[allow(clippy::print_stderr)] // What std's own hook would do.
fn print(info: &PanicHookInfo<'_>) {
    eprintln!("thread {info}");
}

/// The result of `call`, or where it panicked.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, PanicPlace> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        // A payload's own drop may panic, and nobody misses a few bytes.
        std::mem::forget(payload);
        LAST.take().unwrap_or_else(|| {
            // Unless it was a resumed one, the hook is not ours any more.
            install_hook();
            unknown_place()
        })
    })
}

/// Whether the process ends with this panic. Std knows, but tells it on stable only in debug text,
/// which takes its time; whether a panic can unwind depends on the place in the code alone.
fn is_deadly(info: &PanicHookInfo<'_>) -> bool {
    let ask = || format!("{info:?}").contains("can_unwind: false");
    let Some(at) = info.location() else { return ask() };
    let place = (at.file().as_ptr().addr(), at.line(), at.column());
    let known = HARMLESS.try_with(|places| places.borrow().contains(&place));
    if known == Ok(true) {
        return false;
    }
    let deadly = ask();
    if !deadly {
        let _ = HARMLESS.try_with(|places| places.borrow_mut().insert(place));
    }
    deadly
}

/// A panic that left a destructor during cleanup, or a function that cannot unwind, was recorded
/// like any other: only now is it known that nobody will catch it.
#[allow(clippy::print_stderr)] // The last words of the process.
fn print_cause() {
    if let Ok(Some(place)) = LAST.try_with(RefCell::take) {
        eprintln!("panicked at {}:{}:\n{}", place.file, place.line, place.message);
    }
}

fn record(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("");
    let (file, line) = info.location().map_or(("", 0), |at| (at.file(), at.line()));
    let message = message[..message.floor_char_boundary(MOST_MESSAGE)].to_owned();
    let place = PanicPlace { file: file.to_owned(), line, message, changed: false };
    let _ = LAST.try_with(|last| last.replace(Some(place)));
}

/// A panic that passed no hook, such as a resumed one.
fn unknown_place() -> PanicPlace {
    PanicPlace { file: String::new(), line: 0, message: String::new(), changed: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_place_and_words() {
        let caught = std::thread::spawn(|| {
            watch_this_thread();
            catch(|| panic!("it is {}", 3)).map_err(|place| (place.line, place.message))
        });
        let line = line!() - 2;
        assert_eq!(caught.join().unwrap(), Err::<(), _>((line, "it is 3".to_owned())));
    }

    #[test]
    fn a_hook_of_the_subject_hides_one_panic_at_most() {
        let caught = std::thread::spawn(|| {
            watch_this_thread();
            std::panic::set_hook(Box::new(|_| {}));
            let hidden = catch(|| panic!("hidden")).map_err(|place| place.message);
            (hidden, catch(|| panic!("seen")).map_err(|place| place.message))
        });
        let (hidden, seen) = caught.join().unwrap();
        assert_eq!(hidden, Err::<(), _>(String::new()));
        assert_eq!(seen, Err::<(), _>("seen".to_owned()));
    }

    #[test]
    fn a_resumed_panic_does_not_get_the_place_of_an_older_one() {
        let caught = std::thread::spawn(|| {
            watch_this_thread();
            let _ = catch(|| panic!("older"));
            catch(|| std::panic::resume_unwind(Box::new(())))
        });
        assert_eq!(caught.join().unwrap(), Err::<(), _>(unknown_place()));
    }
}
